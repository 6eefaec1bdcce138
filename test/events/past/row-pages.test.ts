/** Pages of the log that queues share: each is read once, a bounded number is kept, and nothing is skipped. */
import t from "tap"
import { rowAudience } from "../../../src/events/event.ts"
import type { LogPage } from "../../../src/events/log.ts"
import { RowPage } from "../../../src/events/past/row-page.ts"
import { type PageOutcome, RowPages } from "../../../src/events/past/row-pages.ts"
import { row } from "./rows.ts"

interface Asked {
  readonly after: number
  readonly through: number
  readonly done: (page: LogPage | null) => void
}

/** A log of 1,000 rows of 1,000 bytes; statements are answered when the test says so, with at most `most` rows. */
const stage = ({
  limitBytes = 1_000_000,
  most = 1000,
  fetchesAtOnce = 2,
  newPage = (after: number) => new RowPage(after),
} = {}) => {
  const asked: Array<Asked> = []
  const came: Array<readonly [position: number, outcome: string]> = []
  let oldest = 1
  const pages = new RowPages({
    limitBytes,
    head: () => 1000,
    fetch: (after, through, done) => void asked.push({ after, through, done }),
    pageRows: 100,
    fetchesAtOnce,
    newPage,
  })
  const told = (outcome: PageOutcome) => (outcome instanceof RowPage ? `${outcome.after}-${outcome.through}` : outcome)
  return {
    pages,
    asked,
    came,
    prune: (position: number) => {
      oldest = position
    },
    want: (position: number) => pages.want(position, (outcome) => came.push([position, told(outcome)])),
    answer: () => {
      for (const { after, through, done } of asked.splice(0)) {
        const rows = []
        for (let at = Math.max(after + 1, oldest); at <= through && rows.length < most; at++)
          rows.push(row(at, rowAudience({ kind: "realm" })))
        done({ oldest, rows })
      }
    },
  }
}

t.test("a page is read once, however many want it, and kept", async (t) => {
  const { pages, asked, came, want, answer } = stage()
  for (let count = 0; count < 1000; count++) want(101 + (count % 100))
  t.same(
    asked.map(({ after, through }) => [after, through]),
    [[100, 200]],
  )
  answer()
  t.same([came.length, new Set(came.map(([, outcome]) => outcome))], [1000, new Set(["100-200"])])
  t.equal(pages.find(150), pages.find(101))
  t.same([pages.find(100), pages.find(201), pages.bytes], [undefined, undefined, 100_000])
  t.equal(asked.length, 0)
})

t.test("a page that is being read is read again if a row of it has changed, and only then", async (t) => {
  const { pages, asked, came, want, answer } = stage()
  want(150)
  want(350)
  pages.forget([120, 900])
  answer()
  t.same(came, [[350, "300-400"]], "what changed elsewhere holds nobody up")
  t.same(
    asked.map(({ after }) => after),
    [100],
  )
  answer()
  t.same(came, [
    [350, "300-400"],
    [150, "100-200"],
  ])
  pages.forget([350])
  t.same([pages.find(350), pages.find(150)?.after], [undefined, 100])
})

t.test("few are read at a time, the others in the order in which they were wanted", async (t) => {
  const { asked, came, want, answer } = stage()
  for (const position of [950, 5, 350, 10]) want(position)
  const order: Array<number> = []
  while (asked.length > 0) {
    t.ok(asked.length <= 2)
    order.push(...asked.map(({ after }) => after))
    answer()
  }
  t.same(order, [900, 0, 300])
  t.same(came, [
    [950, "900-1000"],
    [5, "0-100"],
    [10, "0-100"],
    [350, "300-400"],
  ])
})

t.test("a page that ends for its bytes is followed by the next one, to the row that is wanted", async (t) => {
  const { pages, asked, came, want, answer } = stage({ most: 30 })
  want(195)
  for (let statements = 0; statements < 4; statements++) answer()
  t.same(came, [[195, "190-200"]])
  t.same(
    [110, 131, 161, 191].map((position) => pages.find(position)?.after),
    [100, 130, 160, 190],
  )
  want(240)
  answer()
  answer()
  t.same([came.at(-1), asked.length], [[240, "230-260"], 0])
})

t.test("those that were used the longest ago are forgotten, and what nobody uses at all", async (t) => {
  const { pages, want, answer } = stage({ limitBytes: 250_000 })
  const kept = () => [50, 150, 250, 350].filter((position) => pages.find(position) !== undefined)
  for (const position of [50, 150]) {
    want(position)
    answer()
  }
  pages.find(50)
  want(250)
  answer()
  t.same([kept(), pages.bytes], [[50, 250], 200_000])
  const held = pages.find(250)?.at(250)
  t.ok(held !== undefined)
  if (held !== undefined) pages.grew(held, 60_000)
  t.same([kept(), pages.bytes], [[250], 160_000], "encoded bytes count too")
  pages.grew(row(250, rowAudience({ kind: "realm" })), 60_000)
  t.equal(pages.bytes, 160_000, "not those of another row")
  pages.sweep()
  t.same(kept(), [250], "it was used since the last sweep")
  pages.sweep()
  pages.sweep()
  t.same([kept(), pages.bytes], [[], 0])
})

t.test("a page larger than all that is kept is handed over all the same", async (t) => {
  const { pages, came, want, answer } = stage({ limitBytes: 1 })
  for (const position of [150, 250]) {
    want(position)
    answer()
  }
  t.same(came, [
    [150, "100-200"],
    [250, "200-300"],
  ])
  t.equal(pages.find(150), undefined)
})

t.test("what the log has pruned is a gap, and never skipped", async (t) => {
  const { pages, asked, came, want, answer, prune } = stage()
  prune(150)
  want(120)
  want(160)
  answer()
  t.same(came, [
    [120, "gap"],
    [160, "149-200"],
  ])
  t.same([pages.isGone(149), pages.isGone(150)], [true, false])
  t.same([pages.find(149), pages.find(101)], [undefined, undefined], "nor taken for the rows behind it")
  want(170)
  t.same([asked.length, pages.find(170)?.after], [1, 149], "it is found in memory")
  pages.prune(201)
  t.same([pages.find(170), pages.bytes, pages.isGone(200)], [undefined, 0, true])
})

t.test(
  "a row that came after a page was asked for is no gap, though all rows of that page are pruned meanwhile",
  async (t) => {
    let head = 34
    const asked: Array<Asked> = []
    const came: Array<string> = []
    const pages = new RowPages({
      limitBytes: 1_000_000,
      head: () => head,
      fetch: (after, through, done) => void asked.push({ after, through, done }),
      pageRows: 100,
    })
    const want = (position: number) =>
      pages.want(position, (outcome) =>
        came.push(outcome instanceof RowPage ? `${outcome.after}-${outcome.through}` : outcome),
      )
    want(30)
    head = 48
    want(48)
    asked.shift()?.done({ oldest: 37, rows: [] })
    t.same([came, asked.map(({ after, through }) => [after, through])], [["gap"], [[34, 48]]])
    const rows = Array.from({ length: 12 }, (_, n) => row(37 + n, rowAudience({ kind: "realm" })))
    asked.shift()?.done({ oldest: 37, rows })
    t.same(came, ["gap", "36-48"])
  },
)

t.test("a database that cannot be asked fails those who wait, and is asked again for the next", async (t) => {
  const { asked, came, want, answer } = stage()
  want(1)
  want(2)
  for (const { done } of asked.splice(0)) done(null)
  t.same(came, [
    [1, "unavailable"],
    [2, "unavailable"],
  ])
  want(3)
  answer()
  t.same(came.at(-1), [3, "0-100"])
})

t.test("pages before the one that is wanted are not read again when they have been forgotten", async (t) => {
  // A page has 10 rows, because they are long, and five pages are kept.
  const { pages, asked, want, answer } = stage({ most: 10, limitBytes: 50_000 })
  const fetched: Array<number> = []
  const read = (position: number): void => {
    for (let isThere = pages.find(position) !== undefined; !isThere; isThere = pages.find(position) !== undefined) {
      want(position)
      while (asked.length > 0) {
        fetched.push(...asked.map(({ after }) => after))
        answer()
      }
    }
  }
  // Four readers at different places, each a page further at a time.
  for (let step = 0; step < 20; step++) for (const begin of [1, 251, 501, 751]) read(begin + 10 * step)
  // To get to row 251 the pages from row 201 on are read once, and so on.
  const needed = 4 * 20 + 2 * 5
  t.ok(fetched.length <= needed, `${fetched.length} pages were read, ${needed} are needed`)
})

t.test("rows that cannot be taken fail those who wait, and the next page is read all the same", async (t) => {
  let broken = true
  const { asked, came, want, answer } = stage({
    fetchesAtOnce: 1,
    newPage: (after) => {
      if (broken) throw new Error("a malformed row")
      return new RowPage(after)
    },
  })
  for (const position of [1, 2, 150]) want(position)
  t.throws(answer, { message: "a malformed row" })
  t.same(came, [
    [1, "unavailable"],
    [2, "unavailable"],
  ])
  t.equal(asked.length, 1)
  broken = false
  answer()
  t.same(came.at(-1), [150, "100-200"])
})
