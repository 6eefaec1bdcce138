/** Messages of a directory that the client library gets to read: whole ones of the forms that it expects. */
import t from "tap"
import { makeMessages } from "../../../../src/chat/ground/directory/ldap-messages.ts"

const part = (tag: number, ...content: ReadonlyArray<number>): ReadonlyArray<number> => [
  tag,
  content.length,
  ...content,
]
const text = (word: string) => part(4, ...Buffer.from(word))
const message = (...content: ReadonlyArray<number>) => part(0x30, ...part(2, 7), ...content)
const result = (tag: number) => message(...part(tag, ...part(10, 0), ...text(""), ...text("well")))
const attribute = (...values: ReadonlyArray<string>) =>
  part(0x30, ...text("mail"), ...part(0x31, ...values.flatMap(text)))
const entry = (attributes: ReadonlyArray<number>) => message(...part(0x64, ...text("uid=a"), ...attributes))

/** As the length of a message is written before it is handed on. */
const handedOn = (bytes: ReadonlyArray<number>) =>
  Buffer.from([0x30, 0x84, 0, 0, 0, bytes.length - 2, ...bytes.slice(2)])
const read = (...bytes: ReadonlyArray<number>) => makeMessages(1000)(Buffer.from(bytes))

const good: ReadonlyArray<ReadonlyArray<number>> = [
  result(0x61),
  result(0x65),
  result(0x78),
  message(...part(0x73, ...text("ldap://a"), ...text("ldap://b"))),
  entry(part(0x30)),
  entry(part(0x30, ...attribute("a@b.c", "d@e.f"), ...attribute())),
]

t.test("messages that are whole, however they come", async (t) => {
  for (const bytes of good) t.same(read(...bytes), [handedOn(bytes)])
  t.same(read(...good.flat()), good.map(handedOn), "together")
  const take = makeMessages(1000)
  const taken = good.flat().flatMap((byte) => take(Buffer.from([byte])) ?? [])
  t.same(taken, good.map(handedOn), "byte by byte")
  t.same(read(...result(0x61).slice(0, -1)), [], "the end of one is awaited")
  t.same(read(0x30, 0x84, 0, 0), [], "and that of its length")
  const controls = part(0xa0, ...part(0x30, ...text("1.2")))
  t.same(read(...message(...result(0x61).slice(5), ...controls)), [handedOn(result(0x61))], "controls are left out")
})

t.test("what is no message that is expected", async (t) => {
  const bad: ReadonlyArray<readonly [what: string, bytes: ReadonlyArray<number>]> = [
    ["text", [...Buffer.from("HTTP/1.1 400 Bad Request")]],
    ["a length without an end", [0x30, 0x80, 0, 0]],
    ["a length of five bytes", [0x30, 0x85, 0, 0, 0, 0, 1, 0]],
    ["more than is taken", [0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]],
    ["no number", part(0x30, ...text("7"), ...result(0x61).slice(5))],
    ["an empty number", part(0x30, ...part(2), ...result(0x61).slice(5))],
    ["no operation", part(0x30, ...part(2, 7))],
    ["a request", message(...part(0x60, ...text("")))],
    ["a result without its texts", message(...part(0x61, ...part(10, 0)))],
    ["a text that reaches beyond its result", message(...part(0x61, ...part(10, 0), ...text(""), 4, 100))],
    ["a value that reaches beyond its entry", entry(part(0x30, ...part(0x30, ...text("mail"), 0x31, 100, 4, 1, 97)))],
    ["a list of values that reaches beyond", entry(part(0x30, ...part(0x30, ...text("mail"), 0x31, 0x7f)))],
    ["attributes that are a text", entry(text("\u0030\u007f"))],
    ["an attribute that is a text", entry(part(0x30, ...text("0\u007f")))],
    ["a reference that reaches beyond", message(0x73, 100)],
    ["a reference that is no text", message(...part(0x73, ...part(10, 1)))],
  ]
  for (const [what, bytes] of bad) t.equal(read(...bytes), null, what)
  const take = makeMessages(20)
  t.same(take(Buffer.from(result(0x61))), [handedOn(result(0x61))])
  t.equal(take(Buffer.from(result(0x61))), null, "too much in all")
})
