/** The runs of tests: together they have every file. */
import t from "tap"
import { longest } from "./longest.ts"
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
  const [full, quick] = [filesOf("full"), new Set(filesOf("quick"))]
  const rows = [
    { kind: "turn", runs: 8, whole: sorted(full.filter((file) => !quick.has(file))) },
    { kind: "deep-half", runs: 2, whole: sorted(filesOf("deep")) },
    { kind: "database", runs: 2, whole: sorted(quick) },
  ]
  for (const { kind, runs, whole } of rows) {
    const seen = Array.from({ length: runs }, (_, run) => selectFiles(kind, 1000 + run)).flat()
    t.strictSame(sorted(new Set(seen)), whole, kind)
  }
  t.end()
})

t.test("what is to be begun first is there", (t) => {
  const all = new Set(allFiles())
  t.ok(longest.every((file) => all.has(file)))
  const [first] = filesOf("full")
  t.equal(first, longest[0])
  t.end()
})
