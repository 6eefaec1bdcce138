/**
 * What is kept in place of a text that was sent or thrown away, until the server has dropped its draft of it, too. Drafts of other
 * devices in the same conversation are none of its business, so it says which of the server's it means.
 */
import type { Api } from "../../client/index.ts"

export interface DroppedDraft {
  /** Of the server's drafts. */
  readonly ids: ReadonlyArray<number>
  /** Unix seconds that drafts were made with whose numbers nobody knows: the answer had not come, or never did. */
  readonly asked: ReadonlyArray<number>
}

/** No text that is typed begins so. */
const sign = "\u0000"

const numbers = (value: unknown): ReadonlyArray<number> =>
  Array.isArray(value) ? value.filter((each: unknown) => typeof each === "number") : []

export const droppedDraftText = (gone: DroppedDraft): string => `${sign}${JSON.stringify(gone)}`

/** Null where it is a text, or nothing is kept. What cannot be read, and the empty text of earlier pages, mean no draft at all. */
export const readDroppedDraft = (kept: string | null): DroppedDraft | null => {
  if (kept === "") return { ids: [], asked: [] }
  if (kept?.startsWith(sign) !== true) return null
  try {
    const value: unknown = JSON.parse(kept.slice(sign.length))
    return { ids: numbers(Object(value).ids), asked: numbers(Object(value).asked) }
  } catch {
    return { ids: [], asked: [] }
  }
}

export const isDroppedDraft = ({ ids, asked }: DroppedDraft, { id, timestamp }: Api.Draft): boolean =>
  ids.includes(id) || asked.includes(timestamp)
