/** Signing this browser out. */
import { createContext } from "preact"
import type { ChatSession } from "../../live/chat.ts"
import { unsent } from "../../live/session.ts"
import { words } from "../../words/words.ts"

/** Whoever signs out loses what still waits to be sent: that is asked. */
export const mayLeave = async (chat: ChatSession): Promise<boolean> => {
  const waiting = unsent()
  if (waiting === 0) return true
  const text = words.signOutUnsent(waiting)
  return chat.ask({ title: words.signOutTitle, text, action: words.signOut, isDanger: true })
}

/** Without a question; given from the root of the views. */
export const SignOut = createContext<() => void>(() => undefined)
