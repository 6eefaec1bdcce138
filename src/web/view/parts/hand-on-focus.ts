/** Where the control that one has pressed goes away together with its row, the focus goes on to the next row, else to the dialog. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** For the row: what it answers is its ref. */
export const useHandOn = <Row extends HTMLElement>() => {
  const place = useRef<Row>(null)
  useLayoutEffect(() => {
    const row = place.current
    // The row is still there when this is called.
    return () => {
      if (row === null || !row.contains(document.activeElement)) return
      const next = row.nextElementSibling ?? row.previousElementSibling
      const controls = [...(next?.querySelectorAll<HTMLElement>("button") ?? [])]
      ;(controls.at(-1) ?? row.closest<HTMLElement>("dialog"))?.focus()
    }
  }, [])
  return place
}
