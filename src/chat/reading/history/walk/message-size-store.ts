/**
 * About how many bytes a message `m` has on the wire, as SQL: found without reading the content, which PostgreSQL stores
 * apart where it is long (TOAST). So an answer is bounded before its messages are loaded.
 */
import type { Search } from "./search.ts"

/**
 * The newest changes that are shown with a message: somebody may change one again and again, and everybody who reads it
 * gets them. Their bytes are counted, when they are made (add_edits_v1) or read (moves), so that an answer of many
 * messages stays small.
 */
export const mostShownEdits = 20

/** About how many bytes of JSON the moves take that are shown with the message `m`. */
const movesBytes = `320 * least(coalesce(cardinality(m.moves), 0), ${mostShownEdits})`

/** About how many bytes of JSON a message has beside its content. */
const recordBytes = 700

/** Bytes, about, of what was added to the message `id` after it was sent. */
export const additionsSql = (id: string): string =>
  `coalesce((select a.bytes from message_addition a where a.realm_id = $1::integer and a.message_id = ${id}), 0)`

/** The bytes of `m` without what was added to it. `rendered`: whether the rendered or the typed text counts. */
export const sizeSql = (rendered: boolean, { texts }: Pick<Search, "texts">): string =>
  `(${recordBytes} + ${movesBytes} + octet_length(${rendered ? "m.rendered" : "m.content"})${texts.length === 0 ? "" : matchSize})`
/** Bytes that a search adds to a message: what was found is shown in a copy of it. */
const matchSize = " + octet_length(m.rendered)"
