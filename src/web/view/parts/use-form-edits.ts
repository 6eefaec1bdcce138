/** A form over what others may change while it is open. */
import { useState } from "preact/hooks"
import { isEdited, withoutSaved } from "../../state/form-edits.ts"

/** `there`: as things are now. A field is shown so until one touches it, and `touched` are those alone. */
export const useEdits = <Fields extends object>(there: Fields) => {
  const [touched, setTouched] = useState<Partial<Fields>>({})
  return {
    shown: { ...there, ...touched },
    touched,
    isChanged: isEdited(there, touched),
    edit: (change: Partial<Fields>) => setTouched((all) => ({ ...all, ...change })),
    saved: (saved: Partial<Fields>) => setTouched((all) => withoutSaved(all, saved)),
  }
}
