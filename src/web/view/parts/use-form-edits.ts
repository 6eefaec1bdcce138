/** A form over what others may change while it is open. */
import { useState as useOwn } from "preact/hooks"
import { withoutSaved } from "../../state/edits.ts"

/** `there`: as things are now. A field is shown so until one touches it, and `touched` are those alone. */
export const useEdits = <Fields extends object>(there: Fields) => {
  const [touched, setTouched] = useOwn<Partial<Fields>>({})
  return {
    shown: { ...there, ...touched },
    touched,
    edit: (change: Partial<Fields>) => setTouched((all) => ({ ...all, ...change })),
    saved: (saved: Partial<Fields>) => setTouched((all) => withoutSaved(all, saved)),
  }
}
