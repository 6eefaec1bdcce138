/**
 * What processes say to each other of the log of one organization: rows that were committed, sealed and in pieces that the bus
 * takes, or only that the log has a position by now, where the rows are too many or one is too large; and notes beside the log.
 */
import { betweenRows } from "../log.ts"
import type { Committed } from "../peers/peers.ts"
import type { PieceSeal } from "./piece-seal.ts"

/** Whose log it is: an organization has another epoch where its log begins anew. */
export interface LogName {
  readonly realm: number
  readonly epoch: string
}

export type BusMessage = LogName & { readonly from: string } & (
    | { readonly kind: "rows"; readonly first: number; readonly sealed: string }
    | { readonly kind: "head"; readonly head: number }
    | { readonly kind: "note"; readonly subject: string; readonly sealed: string }
  )

const marks = { rows: "r", head: "h", note: "n" } as const

/** In place of an organization, for what concerns all. */
export const everywhere: LogName = { realm: 0, epoch: "-" }

const noteAs = ({ realm, epoch }: LogName, subject: string): string => `${realm} ${epoch} note ${subject}`

const sealedAs = ({ realm, epoch }: LogName, first: number): string => `${realm} ${epoch} ${first}`

export const headMessage = (from: string, { realm, epoch }: LogName, head: number): string =>
  `${marks.head} ${from} ${realm} ${epoch} ${head}`

/** `subject`: a word. */
export const noteMessage = (from: string, log: LogName, subject: string, text: string, seal: PieceSeal): string =>
  `${marks.note} ${from} ${log.realm} ${log.epoch} ${subject} ${seal.close(noteAs(log, subject), text)}`

/**
 * The pieces of what was committed, from the position `first` on, each of at most `pieceBytes`. A row that no piece can hold, and
 * all after it, are told by their position.
 */
export const rowsMessages = (
  from: string,
  log: LogName,
  first: number,
  { head, text: rows }: Pick<Committed, "head" | "text">,
  seal: PieceSeal,
  pieceBytes: number,
): ReadonlyArray<string> => {
  const messages: Array<string> = []
  const close = (position: number, text: string) =>
    messages.push(
      `${marks.rows} ${from} ${log.realm} ${log.epoch} ${position} ${seal.close(sealedAs(log, position), text)}`,
    )
  // Most commits are one piece.
  if (Buffer.byteLength(rows) <= pieceBytes) {
    close(first, rows)
    return messages
  }
  let piece: Array<string> = []
  let bytes = 0
  let position = first
  const end = () => {
    if (piece.length === 0) return
    close(position, piece.join(betweenRows))
    position += piece.length
    piece = []
    bytes = 0
  }
  for (const row of rows.split(betweenRows)) {
    const size = Buffer.byteLength(row) + betweenRows.length
    if (bytes + size > pieceBytes) end()
    if (size > pieceBytes) {
      messages.push(headMessage(from, log, head))
      return messages
    }
    piece.push(row)
    bytes += size
  }
  end()
  return messages
}

/** Undefined for what is none: anybody who may connect to the database can send something. */
export const readMessage = (text: string): BusMessage | undefined => {
  const [mark, from = "", realm, epoch = "", position = "", sealed = ""] = text.split(" ")
  const known = { from, realm: Number(realm), epoch }
  if (!Number.isSafeInteger(known.realm)) return undefined
  if (mark === marks.note) return { ...known, kind: "note", subject: position, sealed }
  const at = Number(position)
  if (!Number.isSafeInteger(at)) return undefined
  if (mark === marks.rows) return { ...known, kind: "rows", first: at, sealed }
  return mark === marks.head ? { ...known, kind: "head", head: at } : undefined
}

/** The rows of a piece, as texts with `betweenRows` between them; undefined: it was sealed by somebody else, or as something else. */
export const openRows = (
  { realm, epoch, first, sealed }: Extract<BusMessage, { readonly kind: "rows" }>,
  seal: PieceSeal,
): string | undefined => seal.open(sealedAs({ realm, epoch }, first), sealed)

/** The text of a note; undefined as for rows. */
export const openNote = (
  { realm, epoch, subject, sealed }: Extract<BusMessage, { readonly kind: "note" }>,
  seal: PieceSeal,
): string | undefined => seal.open(noteAs({ realm, epoch }, subject), sealed)
