/** A rename of the code renames nothing that is stored, logged for programs, or set by operators. */
import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import t from "tap"
import {
  findUngated,
  findUnkept,
  keysOf,
  released,
  type StoredNames,
  storedNames,
  storedNamesFile,
} from "./stored-names.ts"

t.test("the stored names are those of the list", async (t) => {
  const listed: StoredNames = JSON.parse(readFileSync(storedNamesFile, "utf8"))
  const now = storedNames()
  const how = "if that is meant, and older data is still read, `npm run stored-names` writes the list"
  t.same(Object.keys(now).sort(), Object.keys(listed).sort(), how)
  for (const [what, names] of Object.entries(now)) {
    const before = listed[what] ?? []
    t.not(names.length, 0, `there are ${what}`)
    t.same(
      names.filter((name) => !before.includes(name)),
      [],
      `new ${what}: ${how}`,
    )
    t.same(
      before.filter((name) => !names.includes(name)),
      [],
      `${what} that are gone: ${how}`,
    )
  }
})

t.test("what older programs cannot follow is told by its kind", async (t) => {
  const before = { kinds: ["old", "old: key"], realmSettings: ["name"], stored: ["queue"] }
  const further = ["old: other", "new", "new: key", "new applied by apply_new_v1"]
  const now = {
    kinds: [...before.kinds, ...further],
    realmSettings: ["name", "motto"],
    stored: ["queue", "queue: key"],
  }
  const since = (...kinds: ReadonlyArray<string>) => new Map(kinds.map((kind) => [kind, released + 1]))
  t.same(findUngated(before, now, new Map()), [...further, "motto"])
  t.same(findUngated(before, now, new Map([["old", released]])), [...further, "motto"], "a version that is out already")
  t.same(findUngated(before, now, since("new", "realm")), ["old: other"])
  t.same(findUngated(before, now, since("old", "new", "realm")), [])
  t.same(findUnkept(before, now), ["stored: queue: key"])
})

t.test("keys are found wherever they stand in a Schema", async (t) => {
  const inner = Schema.Struct({ deep: Schema.optionalKey(Schema.Array(Schema.Struct({ deeper: Schema.Number }))) })
  const schema = Schema.Union([
    Schema.Struct({ one: Schema.NullOr(inner) }),
    Schema.Struct({ other: Schema.Record(Schema.String, inner) }),
  ])
  t.same([...keysOf(schema)].sort(), [
    "one",
    "one.deep",
    "one.deep.deeper",
    "other",
    "other.*.deep",
    "other.*.deep.deeper",
  ])
})
