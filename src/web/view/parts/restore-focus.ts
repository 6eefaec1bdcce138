/** The focus goes back to where it was when what stood above the page is closed. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** What had the focus, then what it stands in: a menu, for example, is gone by then. */
const placesNow = (): ReadonlyArray<HTMLElement> => {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return []
  const around = activeElement.parentElement?.closest<HTMLElement>("[tabindex]") ?? null
  return around === null ? [activeElement] : [activeElement, around]
}

const focusFirst = (places: ReadonlyArray<HTMLElement>): void => {
  // Something else may have taken it on purpose: the box of the place that one has gone to.
  if (document.activeElement !== document.body && document.activeElement !== null) return
  for (const place of places) {
    if (place.isConnected) place.focus({ preventScroll: true })
    if (document.activeElement === place) return
  }
  document.querySelector<HTMLElement>("dialog[open], #messages")?.focus({ preventScroll: true })
}

/** Of one dialog after the other: the first one's opener. */
export const useOpener = (isOpen: boolean): void => {
  const places = useRef<ReadonlyArray<HTMLElement>>([])
  const was = useRef(false)
  // Looked up before anything is drawn: afterwards the opener may be gone.
  if (isOpen && !was.current) places.current = placesNow()
  was.current = isOpen
  useLayoutEffect(() => {
    if (!isOpen) focusFirst(places.current)
  }, [isOpen])
}
