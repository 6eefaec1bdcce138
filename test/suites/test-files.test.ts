/** The runs of tests: together they have every file. */
import t from "tap"
import { dear } from "./dear.ts"
import { allFiles, filesOf, kinds, selectFiles } from "./test-files.ts"

const sorted = (files: Iterable<string>): ReadonlyArray<string> => [...files].sort()

t.test("every file is in a run, and in none twice", (t) => {
  const all = allFiles()
  t.ok(all.length > 100)
  for (const kind of kinds) {
    const files = filesOf(kind)
    t.equal(new Set(files).size, files.length, kind)
    t.ok(files.length > 0, kind)
  }
  t.strictSame(sorted([...filesOf("full"), ...filesOf("deep"), ...filesOf("browser")]), sorted(all))
  const full = new Set(filesOf("full"))
  t.ok(filesOf("quick").every((file) => full.has(file)))
  t.end()
})

t.test("runs in a row of what is taken in turn have all of it", (t) => {
  const inRow = (kind: string, runs: number) =>
    sorted(new Set(Array.from({ length: runs }, (_, run) => selectFiles(kind, 1000 + run)).flat()))
  // What a run takes one of three and one of five of.
  const quick = inRow("quick", 15)
  t.strictSame(inRow("database", 30), quick, "database")
  t.strictSame(inRow("deep-half", 2), sorted(filesOf("deep")), "deep")
  const turn = inRow("turn", 8)
  t.strictSame(sorted([...quick, ...turn]), sorted(filesOf("full")), "quick and turn")
  t.same(
    turn.filter((file) => quick.includes(file)),
    [],
    "none in both",
  )
  t.end()
})

t.test("what is to be begun first is there", (t) => {
  const all = new Set(allFiles())
  t.ok(dear.every(([file]) => all.has(file)))
  const [first] = filesOf("full")
  t.equal(first, dear[0]?.[0])
  t.end()
})
