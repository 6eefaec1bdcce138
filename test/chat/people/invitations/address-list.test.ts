/** Lists of addresses as they are pasted: what mail programs write between and around them. */
import t from "tap"
import { readAddressList } from "../../../../src/chat/people/invitations/address-list.ts"
import { isLinear } from "../../../kit/processor-time.ts"

const lists: ReadonlyArray<readonly [what: string, raw: string, ...ReadonlyArray<string>]> = [
  [
    "commas, semicolons and lines",
    "a@x.example, b@x.example; c@x.example\r\nd@x.example\n\n;,",
    "a@x.example",
    "b@x.example",
    "c@x.example",
    "d@x.example",
  ],
  [
    "spaces and tabs",
    " a@x.example  b@x.example\tc@x.example\u00a0d@x.example ",
    "a@x.example",
    "b@x.example",
    "c@x.example",
    "d@x.example",
  ],
  [
    "separators of other keyboards",
    "a@x.example，b@x.example、c@x.example；d@x.example",
    "a@x.example",
    "b@x.example",
    "c@x.example",
    "d@x.example",
  ],
  ["names", "Jane Doe <a@x.example>, <b@x.example> Roe<c@x.example>", "a@x.example", "b@x.example", "c@x.example"],
  [
    "names with separators",
    '"Doe, Jane; \\"JD\\"" <a@x.example>, "Roe, R. (Ltd)" <b@x.example>',
    "a@x.example",
    "b@x.example",
  ],
  [
    "Outlook's names",
    "Doe, Jane <a@x.example>; Roe, Rick <b@x.example>; c@x.example",
    "a@x.example",
    "b@x.example",
    "c@x.example",
  ],
  [
    "an address as the name",
    "a@x.example <A@x.example>; 'b@x.example' <b@x.example>",
    "a@x.example <A@x.example>",
    "b@x.example",
  ],
  ["comments", "a@x.example (Doe, Jane), b@x.example", "a@x.example", "b@x.example"],
  [
    "links",
    "mailto:a@x.example, <mailto:b@x.example?subject=Hi>, MAILTO:c%2Bd@x.example",
    "a@x.example",
    "b@x.example",
    "c+d@x.example",
  ],
  ["quotation marks", "'a@x.example' \"b@x.example\" “c@x.example”", "a@x.example", "b@x.example", "c@x.example"],
  ["what one cannot see", "\u202aa@x.example\u202c,\ufeffb@x.example", "a@x.example", "b@x.example"],
  [
    "wrong pieces as they stand",
    'nobody there, a@x.example, "Doe, Jane"; b@x.example, Roe <>',
    "nobody there",
    "a@x.example",
    '"Doe, Jane"',
    "b@x.example",
    "Roe <>",
  ],
  ["names between addresses", "Jane Doe a@x.example b@x.example Roe", "Jane Doe", "a@x.example", "b@x.example", "Roe"],
  ["another address before brackets", "a@x.example b@x.example <c@x.example>", "a@x.example b@x.example <c@x.example>"],
  ["marks without an end", '"a@x.example, <b@x.example, (c@x.example', "a@x.example", "<b@x.example", "(c@x.example"],
  ["a bad link", "mailto:%e0%a4%a@x.example", "%e0%a4%a@x.example"],
  ["nothing", " ,;\n\t, "],
]

t.test("what is in a list", async (t) => {
  for (const [what, raw, ...found] of lists) t.same(readAddressList(raw), found, what)
})

t.test("what is no address is told in part where it is long", async (t) => {
  const [told = ""] = readAddressList("x".repeat(100_000))
  t.equal(told, `${"x".repeat(300)}…`)
})

t.test("a long list is read in linear time", async (t) => {
  for (const piece of [
    '"',
    "<",
    "(",
    '"\\',
    "< ",
    '" ',
    "a@b <",
    "'",
    "mailto:",
    "a ",
    "a@b ",
    "a,",
    '"a" ',
    "a <b> ",
    "mailto:%",
  ]) {
    const read = (size: number): void => {
      readAddressList(piece.repeat(Math.ceil(size / piece.length)))
    }
    t.ok(isLinear(read, 20_000), JSON.stringify(piece))
  }
})
