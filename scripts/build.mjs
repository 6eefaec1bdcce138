/**
 * Makes the program runnable: compiles to dist/, bundles the program, prepares the database image with all SQL in one
 * file, and fits tap to the plugins of .taprc.
 * Each step is passed over when nothing it reads has changed. Called by npm (`postprepare`, `prepack`, `build`,
 * before `test`) and, in a checkout, by bin/parley.js before every start: a check that finds nothing to do costs about 5 ms.
 * (With a script called `prepare` npm warns whoever installs the packed program of a script that it would not run.)
 *
 * `--if-stale` compiles only if a source is newer than the last build.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const inRoot = (/** @type {string[]} */ ...parts) => join(root, ...parts)

const sourceFolders = ["src", "test", "bench"]
const stamp = inRoot("dist", ".built")
const compiler = inRoot("node_modules", "typescript", "bin", "tsc")

/**
 * Every file below a folder of the project, as paths from its root.
 * @param {string} folder
 * @returns {string[]}
 */
const filesIn = (folder) =>
  existsSync(inRoot(folder))
    ? readdirSync(inRoot(folder), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
      )
    : []

const sources = () => sourceFolders.flatMap(filesIn).filter((file) => file.endsWith(".ts"))

/** What of the page the compiler does not see: views and their tests. */
const views = () =>
  ["src", "test"].flatMap((folder) => filesIn(join(folder, "web"))).filter((file) => /\.(tsx|css)$/.test(file))

/** The sources of the prepared database image. */
const sql = () => ["schema.sql", ...filesIn("src").filter((file) => file.endsWith(".sql"))]

/** What the stamp says of a build: the names of all that it read, so that one that was removed or moved is missed. */
const stampOf = (/** @type {string[]} */ names) => [...names, ...views(), ...sql()].join("\n")

/** True if a source was changed, added or removed since the last build. */
const isStale = () => {
  if (!existsSync(stamp)) return true
  const names = sources()
  if (readFileSync(stamp, "utf8") !== stampOf(names)) return true
  const built = statSync(stamp).mtimeMs
  return [...names, ...views(), ...sql(), "tsconfig.json", "package.json"].some(
    (file) => statSync(inRoot(file)).mtimeMs > built,
  )
}

/**
 * Runs a Node program of the project; its output goes to standard error, because `--print-config` uses standard output.
 * @param {string[]} args
 */
const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] }).status === 0

/** Removes compiled files whose sources were deleted: a leftover test would still run. */
const prune = (/** @type {string[]} */ names) => {
  const wanted = new Set(names.map((name) => join("dist", name.slice(0, -".ts".length))))
  for (const file of sourceFolders.flatMap((folder) => filesIn(join("dist", folder)))) {
    if (!wanted.has(file.replace(/\.js(\.map)?$/, ""))) rmSync(inRoot(file), { force: true })
  }
}

const compile = (/** @type {string[]} */ names) => {
  if (!run(compiler, "-p", inRoot("tsconfig.json"), "--noEmitOnError")) return false
  prune(names)
  return true
}

/** The program and the page, with the licences of what is in them. The bundler is loaded only here: a check that finds nothing to do does without it. */
const makeBundles = async (/** @type {string[]} */ names) => {
  const { bundle } = await import("./bundle.mjs")
  const { makePage, makeViewTests } = await import("./page.mjs")
  const { writeLicences } = await import("./licences.mjs")
  const ofPage = await makePage(root)
  await makeViewTests(root)
  const ofProgram = await bundle(
    root,
    names.filter((name) => name.startsWith("src")),
  )
  writeLicences(root, [...ofProgram, ...ofPage])
  return true
}

/**
 * The types of what the package exports, dist/types: those of the kit are interfaces of its own, so no declaration of
 * anything else of the program is among them.
 */
const makeTypes = () => {
  const folder = inRoot("dist", "types")
  rmSync(folder, { recursive: true, force: true })
  return run(compiler, "-p", inRoot("src", "testing", "tsconfig.json"))
}

/**
 * The compiled file and all that it imports from the project.
 * @param {string} file
 * @param {Set<string>} seen
 */
const closure = (file, seen = new Set()) => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, path = ""] of readFileSync(inRoot(file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
    closure(join(file, "..", path), seen)
  }
  return seen
}

/** PGlite's first initialisation takes 3-4 s; unpacking the image does not. The same program gathers the SQL. */
const makeImage = () => {
  const program = join("dist", "src", "db", "open", "make-image.js")
  const made = [inRoot("dist", "pglite-image-ready.gz"), inRoot("dist", "sql.json")]
  const mark = inRoot("dist", "pglite-image.made-from")
  const digest = createHash("sha256")
  for (const file of [...closure(program), ...sql()].sort()) digest.update(readFileSync(inRoot(file)))
  digest.update(readFileSync(inRoot("node_modules", "@electric-sql", "pglite", "package.json")))
  const madeFrom = digest.digest("hex")
  if (made.every((file) => existsSync(file)) && existsSync(mark) && readFileSync(mark, "utf8") === madeFrom) return true
  rmSync(mark, { force: true })
  if (!run(inRoot(program))) return false
  writeFileSync(mark, madeFrom)
  return true
}

/** The description of the interface, and the viewer that shows it. */
const makeDescription = () => run(inRoot("dist", "src", "openapi", "make-openapi.js"))

const testingImage = inRoot("dist", "pglite-image-testing.gz")

/**
 * What the databases of test servers begin with, for the package: in a checkout, where much changes, the first start of a
 * process makes it.
 */
const makeTestingImage = () => run(inRoot("dist", "src", "testing", "make-testing-image.js"))

/** tap comes built with its TypeScript plugin, which does not start beside TypeScript 7. */
const fitTap = () => {
  const built = inRoot("node_modules", "@tapjs", "test", "test-built", "dist", "esm", "index.js")
  const fits = existsSync(built) && !readFileSync(built, "utf8").includes('"@tapjs/typescript"')
  return fits || run(inRoot("node_modules", "tap", "dist", "esm", "run.mjs"), "build")
}

const make = async (/** @type {boolean} */ isWhole) => {
  const began = new Date()
  const names = sources()
  // Without the stamp the next check builds again, if this build fails.
  rmSync(stamp, { force: true })
  rmSync(testingImage, { force: true })
  if (!compile(names) || !(await makeBundles(names)) || !makeTypes() || !makeImage() || !makeDescription()) return false
  if (isWhole && !makeTestingImage()) return false
  writeFileSync(stamp, stampOf(names))
  // A file saved while the compiler ran must count as newer.
  utimesSync(stamp, began, began)
  return true
}

/** Whether a start has to build first. Without the development dependencies what was built before is all there is. */
export const isBuildDue = () => (existsSync(compiler) ? isStale() : !existsSync(inRoot("dist", "program", "main.js")))

/**
 * @param {{ readonly force: boolean }} options
 * @returns {Promise<boolean>} false if a step failed; it has said why
 */
const build = async ({ force }) => {
  if (!existsSync(compiler)) {
    // Installed without the development dependencies: what was built before is all there is.
    if (existsSync(inRoot("dist", "program", "main.js"))) return true
    process.stderr.write("parley: not built yet, and building needs the development dependencies: npm install\n")
    return false
  }
  return (!force && !isStale()) || make(force)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const done = (await build({ force: !process.argv.includes("--if-stale") })) && (!existsSync(compiler) || fitTap())
  process.exitCode = done ? 0 : 1
}
