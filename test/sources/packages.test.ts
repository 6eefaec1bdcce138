/** What `npm install` says, here and of the packed program: it warns of nothing, neither of scripts nor of a wrong Node. */
import { readFileSync } from "node:fs"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"

const Names = Schema.Record(Schema.String, Schema.String)

const read = <A>(schema: Schema.Codec<A, unknown>, name: string): A =>
  Schema.decodeUnknownSync(schema)(JSON.parse(readFileSync(packageFile(name), "utf8")))

const manifest = read(
  Schema.Struct({
    scripts: Names,
    engines: Schema.Struct({ node: Schema.String }),
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

const oldest = { major: 20, minor: 19 }

/** Whether a range such as `>=20.19.0`, `^20.17.0`, `20` or `20.*` has the oldest Node that is supported. */
const takes = (range: string): boolean => {
  const [, sign, major, minor] = /^(>=|\^|~)? ?v?(\d+)(?:\.(\d+))?[\d.*]*$/.exec(range.trim()) ?? []
  if (major === undefined) return range.trim() === "*"
  const isFrom = Number(major) * 1000 + Number(minor ?? 0) <= oldest.major * 1000 + oldest.minor
  return isFrom && (sign === ">=" || Number(major) === oldest.major)
}

t.test("no package of an install has a script, and each takes the oldest Node that is supported", async (t) => {
  t.equal(manifest.engines.node, `>=${oldest.major}.${oldest.minor}.0`)
  const all = Object.entries(packages).filter(([name]) => name !== "")
  t.ok(all.length > 100)
  for (const [name, { hasInstallScript, optional, engines }] of all) {
    if (hasInstallScript === true) t.fail(`${name} has an install script`)
    // What is optional is left out in silence where it does not fit.
    if (optional === true) continue
    // Old packages have a list there, which npm does not read.
    if (!Predicate.hasProperty(engines, "node")) continue
    const fits = String(engines.node).split("||").some(takes)
    if (!fits) t.fail(`${name} wants Node ${engines.node}`)
  }
})

t.test("the packed program has no script of its own that npm runs, or warns of, at an install", async (t) => {
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) t.notOk(name in manifest.scripts, name)
})

t.test("versions are exact", async (t) => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
    t.match(version, /^(npm:@[\w/-]+@)?\d+\.\d+\.\d+$/, name)
})
