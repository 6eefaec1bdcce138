/** What processes say to each other: its size, what is sealed, and that nothing opens as something else. */
import t from "tap"
import { headMessage, openRows, readMessage, rowsMessages } from "../../../src/events/exchange/bus-message.ts"
import { makePieceSeal } from "../../../src/events/exchange/piece-seal.ts"
import { betweenRows } from "../../../src/events/log.ts"

const seal = makePieceSeal("a secret of a server", "cluster")
const pieceBytes = 5_800
const log = { realm: 3, epoch: "0123456789" }

const row = (position: number, length: number) => JSON.stringify([position, "message", "ä".repeat(length)])

/** Opens the pieces again: the rows, and the heads that were told. */
const opened = (messages: ReadonlyArray<string>) =>
  messages.map((text) => {
    const message = readMessage(text)
    if (message === undefined || message.kind === "note") return undefined
    return message.kind === "head" ? message.head : { first: message.first, rows: openRows(message, seal) }
  })

t.test("rows go in pieces that NOTIFY takes, each with the position of its first", async (t) => {
  const rows = Array.from({ length: 40 }, (_, n) => row(n + 7, 20 * n))
  const messages = rowsMessages("me", log, 7, { head: 46, text: rows.join(betweenRows) }, seal, pieceBytes)
  t.ok(messages.length > 1)
  for (const message of messages) t.ok(Buffer.byteLength(message) < 8000)
  let at = 7
  const together: Array<string> = []
  for (const piece of opened(messages)) {
    if (piece === undefined || typeof piece === "number") return t.fail("it is no piece")
    t.equal(piece.first, at)
    const lines = piece.rows?.split(betweenRows) ?? []
    at += lines.length
    together.push(...lines)
  }
  t.same(together, rows)
})

t.test("a row that no piece can hold, and what comes after it, is told by its position", async (t) => {
  const rows = [row(7, 10), row(8, 10_000), row(9, 10)].join(betweenRows)
  t.match(opened(rowsMessages("me", log, 7, { head: 9, text: rows }, seal, pieceBytes)), [
    { first: 7, rows: row(7, 10) },
    9,
  ])
  const alone = rowsMessages("me", log, 8, { head: 8, text: row(8, 10_000) }, seal, pieceBytes)
  t.same(opened(alone), [8])
})

t.test("a piece opens only as what it was sealed as, and by the secret", async (t) => {
  const [text = ""] = rowsMessages("me", log, 7, { head: 7, text: row(7, 10) }, seal, pieceBytes)
  t.notMatch(text, /message|ä/)
  const message = readMessage(text)
  if (message?.kind !== "rows") return t.fail("it is no piece")
  t.equal(openRows(message, seal), row(7, 10))
  for (const other of [
    { realm: 4 },
    { epoch: "other" },
    { first: 8 },
    { sealed: message.sealed.slice(4) },
    { sealed: "" },
  ])
    t.equal(openRows({ ...message, ...other }, seal), undefined)
  for (const [secret, cluster] of [
    ["another secret", "cluster"],
    ["a secret of a server", "another cluster"],
  ] as const)
    t.equal(openRows(message, makePieceSeal(secret, cluster)), undefined)
})

t.test("what is no message is none", async (t) => {
  for (const text of ["", "r", "x me 3 0123456789 7", "r me three 0123456789 7 abc", "h me 3 0123456789 1e99"])
    t.equal(readMessage(text), undefined, text)
  t.match(readMessage(headMessage("me", log, 9)), { from: "me", realm: 3, kind: "head", head: 9 })
})
