/** Where what opens above the page stands: in what is visible of it, above the keyboard of a phone, too. */

const margin = 8

interface PopupBox {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const visible = (): PopupBox => {
  const { offsetLeft = 0, offsetTop = 0, width = innerWidth, height = innerHeight } = visualViewport ?? {}
  return { left: offsetLeft, top: offsetTop, right: offsetLeft + width, bottom: offsetTop + height }
}

const between = (least: number, wanted: number, most: number): number => Math.max(least, Math.min(wanted, most))

/** Below its opener, or above where there is more room. It may lie in a list that is scrolled, so it is not placed by that. */
const putBeside = (element: HTMLElement): void => {
  const parent = element.parentElement
  const opener = parent?.querySelector(":scope > .message-actions") ?? parent
  if (opener === null) return
  const view = visible()
  const at = opener.getBoundingClientRect()
  element.style.maxHeight = `${view.bottom - view.top - 2 * margin}px`
  const { width, height } = element.getBoundingClientRect()
  const isAtEnd = opener !== parent
  const isLeft = isAtEnd === (getComputedStyle(element).direction === "rtl")
  const hasRoom = at.bottom + 4 + height <= view.bottom - margin || view.bottom - at.bottom > at.top - view.top
  const left = isLeft ? at.left : at.right - width
  const top = hasRoom ? at.bottom + 4 : at.top - height - 4
  element.style.left = `${between(view.left + margin, left, view.right - width - margin)}px`
  element.style.top = `${between(view.top + margin, top, view.bottom - height - margin)}px`
}

const putBelow = (element: HTMLElement): void => {
  const { top, bottom } = visible()
  element.style.bottom = `${Math.max(0, innerHeight - bottom)}px`
  element.style.maxHeight = `${bottom - top - 3 * margin}px`
}

/** Places it now and whenever the page is moved under it. Answers how to stop. */
export const keepOnScreen = (element: HTMLElement): (() => void) => {
  const put = () => (element instanceof HTMLDialogElement ? putBelow(element) : putBeside(element))
  put()
  const watch = new ResizeObserver(put)
  watch.observe(element)
  const moves = ["resize", "scroll"] as const
  const targets: ReadonlyArray<EventTarget | null> = [visualViewport, window]
  for (const target of targets) for (const move of moves) target?.addEventListener(move, put, true)
  return () => {
    watch.disconnect()
    for (const target of targets) for (const move of moves) target?.removeEventListener(move, put, true)
  }
}
