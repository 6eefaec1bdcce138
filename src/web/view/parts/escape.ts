/**
 * Escape in what is above the page. Left to the browser it closes all that was opened by one press of a key, a dialog together with
 * the question about it.
 */
export const onEscape = (event: KeyboardEvent, close: () => void): void => {
  if (event.key !== "Escape" || event.isComposing) return
  event.preventDefault()
  event.stopPropagation()
  close()
}
