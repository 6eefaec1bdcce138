/**
 * What processes that serve one database tell each other beside the log: it may be lost, late, doubled or out of order, so whatever
 * depends on it must come right without it. Where a process is alone nothing is told, and nothing heard.
 */
import type { Json } from "../../json.ts"

/** Called with what another process has told, and its name. The listener looks at the form: another program may have told it. */
export type NoteListener = (body: unknown, from: string) => void

export interface Notes {
  /** Tells all other processes. The subject is a word. In JSON it has at most `longestNote` bytes; a longer one may not be told. */
  readonly tell: (subject: string, body: Json) => void
  /** Calls the listener from now on. A subject has one. */
  readonly hear: (subject: string, listener: NoteListener) => void
}

/** As much as a message of each bus takes, when it is sealed: that of NOTIFY takes the least. */
export const longestNote = 5_600

export const noNotes: Notes = { tell: () => {}, hear: () => {} }
