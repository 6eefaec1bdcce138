/**
 * Whose the parts of the package are: each that is shipped is named in dist/THIRD-PARTY-LICENSES with its text, under a licence
 * that somebody has looked at. What is in the bundle is read from its source maps, not from what made the list.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"

const readText = (name: string): string => readFileSync(packageFile(name), "utf8")
const filesIn = (folder: string, ends: RegExp): ReadonlyArray<string> =>
  readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" })
    .filter((file) => ends.test(file))
    .map((file) => join(folder, file))

const decode = <A>(schema: Schema.Codec<A, unknown>, name: string): A =>
  Schema.decodeUnknownSync(schema)(JSON.parse(readText(name)))

const SourceMap = Schema.Struct({ sources: Schema.Array(Schema.String) })
const Manifest = Schema.Struct({ license: Schema.String, files: Schema.Array(Schema.String) })
const Named = Schema.Struct({ name: Schema.String, version: Schema.String, license: Schema.String })
const Lockfile = Schema.Struct({
  packages: Schema.Record(Schema.String, Schema.Struct({ license: Schema.optional(Schema.String) })),
})

/** What scripts/licences.mjs takes, read here as its words: the list is to be looked at, not to be imported. */
const allowed = new Set([
  ...["Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause"],
  ...["CC0-1.0", "ISC", "MIT", "MIT-0", "Unlicense"],
])

const packageOf = (path: string): string | undefined => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]

/** Packages of which the program has code, by the maps of its bundle. */
const ofProgram = (): ReadonlyArray<string> =>
  filesIn("dist/program", /\.map$/).flatMap((map) =>
    decode(SourceMap, map).sources.flatMap((source) => packageOf(source) ?? []),
  )

/** Packages that the page and the client import; the page has no maps. */
const ofPage = (): ReadonlyArray<string> =>
  [...filesIn("src/web", /\.tsx?$/), ...filesIn("src/client", /(?<!api)\.ts$/)].flatMap((file) =>
    [...readText(file).matchAll(/(?:from|import) "((?:@[\w.-]+\/)?[\w-][\w.-]*)/g)].flatMap(([, name]) => name ?? []),
  )

t.test("no package that is shipped is missing, and each has a known licence", async (t) => {
  const file = readText("dist/THIRD-PARTY-LICENSES")
  const inProgram = [...new Set(ofProgram())]
  const inPage = [...new Set(ofPage())]
  t.ok(inProgram.length > 15, inProgram.join(" "))
  t.same(inPage, ["preact"])
  // The viewer and the embedded database's image are no part of a bundle.
  const shipped = new Set([...inProgram, ...inPage, "swagger-ui-dist", "@electric-sql/pglite"])
  for (const folder of shipped) {
    const { name, version, license } = decode(Named, `node_modules/${folder}/package.json`)
    t.ok(file.includes(`\n${name} ${version} (${license})\n`), name)
    t.ok(allowed.has(license), `${name}: ${license}`)
  }
  for (const text of ["Permission is hereby granted, free of charge", "React", "Apache License\n"])
    t.ok(file.includes(text), text)
})

t.test("the package is under the Apache licence, and ships the file that names the others", async (t) => {
  const manifest = decode(Manifest, "package.json")
  t.equal(manifest.license, "Apache-2.0")
  t.ok(manifest.files.includes("dist/THIRD-PARTY-LICENSES"))
  const licence = readText("LICENSE")
  for (const part of ["Version 2.0, January 2004", "Copyright 2026 The Parley authors", "END OF TERMS AND CONDITIONS"])
    t.ok(licence.includes(part), part)
  t.equal(decode(Lockfile, "package-lock.json").packages[""]?.license, manifest.license)
})

interface Licences {
  readonly allowed: ReadonlyArray<string>
  readonly licenceOf: (folder: string) => { readonly name: string; readonly text: string }
}

t.test("a licence that nobody has looked at, or that is not there, ends the build", async (t) => {
  const { allowed: taken, licenceOf }: Licences = await import(packageFile("scripts/licences.mjs"))
  t.same(new Set(taken), allowed)
  const folder = t.testdir()
  const made = (license: string | undefined, files: Readonly<Record<string, string>>): string => {
    const place = join(folder, String(Math.random()))
    mkdirSync(place)
    writeFileSync(join(place, "package.json"), JSON.stringify({ name: "other", version: "1.2.3", license }))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
    return place
  }
  t.throws(() => licenceOf(made("GPL-3.0-only", { LICENSE: "words" })), /other 1\.2\.3 has the licence "GPL-3\.0-only"/)
  t.throws(() => licenceOf(made(undefined, { LICENSE: "words" })), /has the licence ""/)
  t.throws(() => licenceOf(made("MIT AND GPL-2.0-only", { LICENSE: "words" })), /may it be shipped/)
  t.throws(() => licenceOf(made("MIT", {})), /has no file with its licence/)
  t.same(licenceOf(made("(MIT OR GPL-3.0-or-later)", { "LICENSE.md": "words", NOTICE: "names" })), {
    name: "other",
    text: "other 1.2.3 ((MIT OR GPL-3.0-or-later))\n\nwords\n\nnames",
  })
  t.match(licenceOf(made("Unlicense", {})), { name: "other" })
})
