/** What somebody has changed in a form and not saved: only that is sent, so that what others change meanwhile stays. */

/** What is left of it once a part is saved: what was changed again since then. */
export const withoutSaved = <Fields extends object>(
  edits: Partial<Fields>,
  saved: Partial<Fields>,
): Partial<Fields> => {
  const left = { ...edits }
  for (const name in saved) if (left[name] === saved[name]) delete left[name]
  return left
}

/** Whether anything would be saved. */
export const isEdited = <Fields extends object>(there: Fields, edits: Partial<Fields>): boolean => {
  for (const name in edits) if (edits[name] !== there[name]) return true
  return false
}
