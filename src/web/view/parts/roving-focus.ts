/** Moves the focus among controls that are one stop of the Tab key: by arrow keys, Home and End. */
import { words } from "../../words/words.ts"

const steps = {
  column: ["ArrowUp", "ArrowDown"],
  row: words.direction === "rtl" ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"],
} as const

export const rove = (event: KeyboardEvent, root: Element, items: string, lie: keyof typeof steps): void => {
  const all = [...root.querySelectorAll<HTMLElement>(items)].filter(({ offsetParent }) => offsetParent !== null)
  const at = all.findIndex((each) => each.matches(":focus"))
  const [back, on] = steps[lie]
  const { key } = event
  const next = key === "Home" ? 0 : key === "End" ? all.length - 1 : key === back ? at - 1 : key === on ? at + 1 : null
  if (next === null || all.length === 0) return
  event.preventDefault()
  event.stopPropagation()
  all.at(next % all.length)?.focus()
}
