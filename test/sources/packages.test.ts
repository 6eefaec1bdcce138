/** What `npm install` says, here and of the packed program: it warns of nothing, neither of scripts nor of a wrong Node. */
import { readFileSync } from "node:fs"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { networkBuilds } from "../../src/http/network/platform.ts"

const Names = Schema.Record(Schema.String, Schema.String)

const read = <A>(schema: Schema.Codec<A, unknown>, name: string): A =>
  Schema.decodeUnknownSync(schema)(JSON.parse(readFileSync(packageFile(name), "utf8")))

const manifest = read(
  Schema.Struct({
    scripts: Names,
    dependencies: Names,
    devDependencies: Names,
  }),
  "package.json",
)

const { packages } = read(
  Schema.Struct({
    packages: Schema.Record(
      Schema.String,
      Schema.Struct({
        hasInstallScript: Schema.optional(Schema.Boolean),
        optional: Schema.optional(Schema.Boolean),
        engines: Schema.optional(Schema.Unknown),
      }),
    ),
  }),
  "package-lock.json",
)

/** Whether a range such as `>=20.19.0`, `^20.17.0`, `20`, `20.*` or `>= 18.x` has a version of Node. */
const takes = ([ofMajor, ofMinor]: readonly [number, number]) => {
  const wanted = ofMajor * 1000 + ofMinor
  return (range: string): boolean => {
    const [, sign, major, minor] = /^(>=|\^|~)? ?v?(\d+)(?:\.(\d+))?[\d.*x]*$/.exec(range.trim()) ?? []
    if (major === undefined) return range.trim() === "*"
    const isFrom = Number(major) * 1000 + Number(minor ?? 0) <= wanted
    return isFrom && (sign === ">=" || Number(major) === ofMajor)
  }
}

/** The oldest of each line of Node that is supported. */
const oldest = networkBuilds.flatMap(({ nodes }) => nodes)

t.test("no package of an install has a script, and each takes every Node that is supported", async (t) => {
  const all = Object.entries(packages).filter(([name]) => name !== "")
  t.ok(all.length > 100)
  for (const [name, { hasInstallScript, optional, engines }] of all) {
    if (hasInstallScript === true) t.fail(`${name} has an install script`)
    // What is optional is left out in silence where it does not fit.
    if (optional === true) continue
    // Old packages have a list there, which npm does not read.
    if (!Predicate.hasProperty(engines, "node")) continue
    const ranges = String(engines.node).split("||")
    for (const node of oldest) if (!ranges.some(takes(node))) t.fail(`${name} wants Node ${engines.node}, not ${node}`)
  }
})

t.test("the packed program has no script of its own that npm runs, or warns of, at an install", async (t) => {
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) t.notOk(name in manifest.scripts, name)
})

t.test("versions are exact", async (t) => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
    t.match(version, /^(npm:@[\w/-]+@)?\d+\.\d+\.\d+$/, name)
})
