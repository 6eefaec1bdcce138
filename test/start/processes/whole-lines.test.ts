/** What several processes print comes in whole lines, and nothing of it is lost. */
import t from "tap"
import { wholeLines } from "../../../src/start/processes/whole-lines.ts"

const makeLines = () => {
  const written: Array<string> = []
  return { written, lines: wholeLines((text) => written.push(text)) }
}

t.test("a line is passed on when it is whole, however it comes", async (t) => {
  const { written, lines } = makeLines()
  const text = Buffer.from("one é\ntwo\n\nthree")
  for (const byte of text) lines.add(Buffer.from([byte]))
  t.same(written, ["one é\n", "two\n", "\n"])
  lines.add(Buffer.from(" and more\nfour\nfi"))
  t.same(written.slice(3), ["three and more\nfour\n"], "several in one go")
  lines.end()
  t.same(written.slice(4), ["fi"], "what has no end is not lost")
  lines.end()
  t.equal(written.length, 5)
})

t.test("what never ends is passed on in parts", async (t) => {
  const { written, lines } = makeLines()
  const part = Buffer.alloc(100_000, "x")
  for (let each = 0; each < 3; each++) lines.add(part)
  t.same(
    written.map(({ length }) => length),
    [300_000],
  )
})
