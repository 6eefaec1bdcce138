/** Signing this browser out. */
import { createContext } from "preact"
import { unsent } from "../../live/session.ts"
import { words } from "../../words/words.ts"

/** Whoever signs out loses what still waits to be sent: that is asked. */
export const mayLeave = (): boolean => {
  const waiting = unsent()
  return waiting === 0 || confirm(words.leaveUnsent(waiting))
}

/** Without a question; given from the root of the views. */
export const SignOut = createContext<() => void>(() => undefined)
