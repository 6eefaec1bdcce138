import * as Effect from "effect/Effect"
import t from "tap"
import { NearestHeap } from "../../../../../src/chat/reading/history/walk/nearest-heap.ts"
import {
  type IdRange,
  type LookInto,
  rowsAtOnce,
  type SearchCandidate,
  type SearchProbe,
  sourcesAtOnce,
  walkSources,
} from "../../../../../src/chat/reading/history/walk/search-walk.ts"

interface Shelf extends IdRange {
  /** Sorted. */
  readonly ids: ReadonlyArray<number>
}

const bytes = 100
/** Bytes of one message in twelve. */
const manyBytes = 2000
const sizeOf = (id: number) => (id % 12 === 0 ? manyBytes : bytes)

/** Looks into lists in memory as the database does, and counts. */
const library = (order: "asc" | "desc", fits: (id: number) => boolean) => {
  const counts = { statements: 0, rows: 0, mostRows: 0, mostSources: 0 }
  const lookInto: LookInto<Shelf, never> = (looks) =>
    Effect.sync(() => {
      let rows = 0
      const looked = looks.map(({ source, low, high, rows: most }) => {
        const within = source.ids.filter((id) => id >= low && id < high)
        const seen = (order === "desc" ? within.reverse() : within).slice(0, most)
        rows += seen.length
        const found: ReadonlyArray<SearchCandidate> = seen
          .filter(fits)
          .map((id) => ({ id, since: 0, bytes: sizeOf(id) }))
        return { count: seen.length, last: seen.at(-1) ?? null, found }
      })
      counts.statements += 1
      counts.rows += rows
      counts.mostRows = Math.max(counts.mostRows, rows)
      counts.mostSources = Math.max(counts.mostSources, looks.length)
      return looked
    })
  return { counts, lookInto }
}

const shelf = (ids: ReadonlyArray<number>): Shelf => ({ ids, low: 0, high: Number.MAX_SAFE_INTEGER })
const range = (count: number, from: number, step: number) => Array.from({ length: count }, (_, n) => from + n * step)

const everything: IdRange = { low: 0, high: Number.MAX_SAFE_INTEGER }

const run = (
  sources: ReadonlyArray<Shelf>,
  order: "asc" | "desc",
  most: number,
  fits: (id: number) => boolean = () => true,
  mostBytes = Number.MAX_SAFE_INTEGER,
) => {
  const { counts, lookInto } = library(order, fits)
  const found = Effect.runSync(walkSources({ sources, within: everything, order, limit: most, mostBytes, lookInto }))
  return { ids: found.candidates.map(({ id }) => id), isAll: found.isAll, counts }
}

/** As many as have those bytes, but one at least. */
const within = (ids: ReadonlyArray<number>, most: number, mostBytes: number): ReadonlyArray<number> => {
  let sum = 0
  return ids.slice(0, most).filter((id, index) => {
    sum += sizeOf(id)
    return index === 0 || sum <= mostBytes
  })
}

t.test("the nearest of all sources are found, in both directions", (t) => {
  // A linear congruence, so that a failure can be repeated.
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return seed % below
  }
  for (let round = 0; round < 60; round++) {
    const sources = Array.from({ length: 1 + random(40) }, () => {
      const size = random(4) === 0 ? random(3000) : random(30)
      return shelf([...new Set(Array.from({ length: size }, () => random(20_000)))].sort((a, b) => a - b))
    })
    const divisor = 1 + random(20)
    const fits = (id: number) => id % divisor === 0
    const all = [...new Set(sources.flatMap(({ ids }) => ids))].filter(fits).sort((a, b) => a - b)
    const most = 1 + random(300)
    const newest = run(sources, "desc", most, fits)
    t.strictSame(newest.ids, all.toReversed().slice(0, most), `round ${round}`)
    const oldest = run(sources, "asc", most, fits)
    t.strictSame(oldest.ids, all.slice(0, most), `round ${round}`)
    const mostBytes = 1 + random(20 * manyBytes)
    t.strictSame(run(sources, "desc", most, fits, mostBytes).ids, within(all.toReversed(), most, mostBytes))
    t.strictSame(run(sources, "asc", most, fits, mostBytes).ids, within(all, most, mostBytes))
    if (all.length < most) t.ok(newest.isAll && oldest.isAll)
    if (all.length > most) t.notOk(newest.isAll || oldest.isAll)
  }
  t.end()
})

t.test("no statement looks at more than its share, however much there is", (t) => {
  const sources = range(1200, 0, 1).map((n) => shelf(range(100, n, 1200)))
  const { counts, ids } = run(sources, "desc", 5000, (id) => id % 7 === 0)
  t.equal(ids.length, 5000)
  t.ok(counts.mostRows <= rowsAtOnce, `${counts.mostRows} rows`)
  t.ok(counts.mostSources <= sourcesAtOnce, `${counts.mostSources} sources`)
  const rare = run([shelf(range(100_000, 0, 1))], "desc", 10, (id) => id === 5)
  t.same(rare.ids, [5])
  t.ok(rare.counts.mostRows <= rowsAtOnce)
  t.ok(rare.counts.statements <= 70, `${rare.counts.statements} statements for 100,000 rows`)
  t.end()
})

t.test("little more is looked at than is wanted", (t) => {
  const one = run([shelf(range(100_000, 0, 1))], "desc", 100)
  t.ok(one.counts.rows <= 101 && one.counts.statements === 1, `${one.counts.rows} rows of one source`)
  const busy = run([shelf(range(100_000, 0, 1)), ...range(500, 0, 1).map((n) => shelf([n]))], "desc", 100)
  t.ok(busy.counts.rows < 1500, `${busy.counts.rows} rows where one source of 501 has them all`)
  const even = run(
    range(500, 0, 1).map((n) => shelf(range(1000, n, 500))),
    "desc",
    100,
  )
  t.ok(even.counts.rows <= 1200 && even.counts.statements <= 2, `${even.counts.rows} rows of 500 even sources`)
  t.end()
})

t.test("the bytes that are wanted end a search, but never before its first message", (t) => {
  const sources = [shelf(range(1000, 0, 2)), shelf(range(1000, 1, 2))]
  const cut = run(sources, "desc", 500, () => true, 10 * bytes)
  t.same(cut.ids, within(range(100, 1999, -1), 500, 10 * bytes))
  t.equal(cut.isAll, false)
  t.ok(cut.counts.statements <= 2)
  t.same(run(sources, "asc", 500, () => true, 1).ids, [0])
  t.end()
})

t.test("what lies behind a message that is too long is not found, whichever source it is in", (t) => {
  const sources = [
    shelf([990, 1000]),
    shelf([3, 997, 998, 999]),
    shelf([5, 984]),
    ...range(7, 0, 1).map(() => shelf([])),
  ]
  t.equal(sizeOf(984), manyBytes)
  t.same(run(sources, "desc", 10, () => true, 10 * bytes).ids, [1000, 999, 998, 997, 990])
  t.end()
})

t.test("no statement waits for the sources to be sorted, however many there are", (t) => {
  let distances = 0
  const line = new NearestHeap<number>((distance) => {
    distances += 1
    return distance
  })
  const numbers = range(20_000, 0, 1).map((n) => (n * 7919) % 20_011)
  for (const number of numbers) line.add(number)
  t.ok(distances < 100_000, `${distances} to line up`)
  distances = 0
  const sorted = numbers.toSorted((a, b) => a - b)
  t.same(
    range(500, 0, 1).map(() => line.take()),
    sorted.slice(0, 500),
  )
  t.ok(distances < 500 * 50, `${distances} for one statement`)
  for (const number of sorted.slice(0, 500).reverse()) line.add(number)
  t.same(
    sorted.map(() => line.take()),
    sorted,
  )
  t.equal(line.first, undefined)
  t.equal(line.take(), undefined)
  t.end()
})

t.test("of a thousand sources only those are looked into that have something next to the anchor", (t) => {
  const sources = range(1000, 0, 1).map((n) => shelf(range(20, n, 1000)))
  const probed = (order: "asc" | "desc", most: number, fits: (id: number) => boolean) => {
    const { counts, lookInto } = library(order, fits)
    let statements = 0
    const probe: SearchProbe<Shelf, never> = {
      isFor: () => true,
      batchSize: 500,
      findNearest: (ranges) =>
        Effect.sync(() => {
          statements += 1
          return ranges.map(({ source, low, high }) => {
            const ids = source.ids.filter((id) => id >= low && id < high)
            return ids.at(order === "desc" ? -1 : 0) ?? null
          })
        }),
    }
    const walked = {
      sources,
      within: everything,
      order,
      limit: most,
      mostBytes: Number.MAX_SAFE_INTEGER,
      lookInto,
      probe,
    }
    const found = Effect.runSync(walkSources(walked))
    return { ids: found.candidates.map(({ id }) => id), isAll: found.isAll, counts, statements }
  }
  const newest = probed("desc", 50, () => true)
  t.same(newest.ids, range(50, 19_999, -1))
  t.notOk(newest.isAll)
  t.equal(newest.statements, 2)
  t.ok(newest.counts.rows <= 110 && newest.counts.statements <= 2, `${newest.counts.rows} rows`)
  t.same(probed("asc", 5, (id) => id % 10 === 3).ids, [3, 13, 23, 33, 43])
  const all = probed("desc", 5000, (id) => id % 10 === 3)
  t.same(all.ids, range(2000, 19_993, -10))
  t.ok(all.isAll)
  const none = probed("asc", 10, () => false)
  t.same(none.ids, [])
  t.ok(
    none.isAll && none.counts.rows === 20_000 && none.counts.statements <= 25,
    `${none.counts.statements} statements`,
  )
  t.end()
})

t.test("a message in two sources is found once", (t) => {
  t.same(run([shelf([1, 2, 3]), shelf([2, 3, 4])], "desc", 10).ids, [4, 3, 2, 1])
  t.end()
})
