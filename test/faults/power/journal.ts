/** The journal of a recorded folder (recorder.ts): a line of JSON for each change, followed by the bytes written. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"

export type Change =
  | {
      readonly kind: "open"
      readonly descriptor: number
      readonly path: string
      readonly creates: boolean
      readonly empties: boolean
    }
  | { readonly kind: "write"; readonly descriptor: number; readonly at: number }
  | { readonly kind: "cut"; readonly descriptor: number; readonly length: number }
  | { readonly kind: "sync"; readonly descriptor: number }
  | { readonly kind: "cut-path"; readonly path: string; readonly length: number }
  /** A file made, or emptied, and written whole. */
  | { readonly kind: "put"; readonly path: string }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string }
  /** A file, or a folder with all that is in it. */
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "mkdir"; readonly path: string }

export interface Note {
  readonly change: Change
  readonly bytes: Buffer
  /** The journal's length when this was noted. */
  readonly end: number
}

export const readJournal = (path: string): ReadonlyArray<Note> => {
  const file = openSync(path, "r")
  const whole = Buffer.alloc(fstatSync(file).size)
  for (let at = 0; at < whole.length; ) at += readSync(file, whole, at, whole.length - at, at)
  closeSync(file)
  const notes: Array<Note> = []
  for (let at = 0; at < whole.length; ) {
    const headEnd = whole.indexOf("\n", at)
    const change: Change & { readonly size: number } = JSON.parse(whole.toString("utf8", at, headEnd))
    const end = headEnd + 1 + change.size
    // A process that was killed may have begun a note.
    if (headEnd < 0 || end > whole.length) break
    notes.push({ change, bytes: whole.subarray(headEnd + 1, end), end })
    at = end
  }
  return notes
}
