/** The test files that may find a fault, and the order in which they are asked. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { isFull } from "../kit/share.ts"
import { dear } from "../suites/dear.ts"
import { selectFiles } from "../suites/test-files.ts"

const tests = fileURLToPath(new URL("..", import.meta.url))

/** Those of the sources, of bundles, and of programs that are started from them, in which no fault is planted. */
const withoutFaults = ["sources", "package", "bundle", "main", "log", "client/bundle", "client/browser", "readme"]
const startsPrograms = ["command-line", "faults/kill", "faults/upgrade", "faults/power-cut", "testing/ends"]
/** Neither in the quick run nor in the full one. */
const outsideOfSuites = ["deep", "browser"]
const isAt = (file: string, place: string): boolean => file.startsWith(`${place}/`) || file === `${place}.test.js`

/** Paths below dist/test. */
export const testFiles: ReadonlyArray<string> = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".test.js"))
  .filter((file) => ![...withoutFaults, ...startsPrograms, ...outsideOfSuites].some((place) => isAt(file, place)))
  .sort()

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(tests, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.js)"/g)]
    .map(([, path = ""]) => posix.join(posix.dirname(file), path))
    .filter((path) => !path.startsWith("../"))

/** What a share of it leaves out is checked of every answer elsewhere. */
const harmless = ["kit/wire-schemas.js"]

const sharing = new Map<string, boolean>()

/** Whether what a test file tries depends on the seed: it imports test/kit/share, or something that does. */
export const hasShares = (file: string): boolean => {
  const known = sharing.get(file)
  if (known !== undefined) return known
  sharing.set(file, false)
  const found = file === "kit/share.js" || importsOf(file).some((path) => !harmless.includes(path) && hasShares(path))
  sharing.set(file, found)
  return found
}

const inTurn = new Set(dear.filter(([, one]) => one > 1).map(([file]) => file.replace(/ts$/, "js")))

/** Whether runs with other seeds may not find what this file finds. */
export const dependsOnSeed = (file: string): boolean => !isFull && (inTurn.has(file) || hasShares(file))

/** Whether a run with this seed has the file. */
export const isIn = (seed: number): ((file: string) => boolean) => {
  const files = new Set(selectFiles(isFull ? "full" : "quick", seed))
  return (file) => files.has(file.replace(/js$/, "ts"))
}

/** How many folders from the root a test has in common with a source. */
const nearness = (file: string, source: string): number => {
  const [one, other] = [dirname(file).split("/"), dirname(source).split("/").slice(1)]
  const first = one.findIndex((name, index) => name !== other[index])
  return first < 0 ? one.length : first
}

/** The folder of tests for a source's own folder, or for the next one above that has any. */
const folderOf = (source: string): string => {
  const folder = dirname(source)
  return !folder.includes("/", "src/".length) || testFiles.some((file) => dirname(file) === folder.slice("src/".length))
    ? folder.slice("src/".length)
    : folderOf(folder)
}

const isBeside = (file: string, source: string): boolean => dirname(file) === folderOf(source)

/** Seconds; where nobody has measured it, larger files take longer. */
export type Duration = (file: string) => number
export const guessedDuration: Duration = (file) => statSync(join(tests, file)).size / 1000

/** The test of the source itself, then those in its folder, then by the way to them; of equal ones the shortest first. */
const inOrder = (files: ReadonlyArray<string>, source: string, duration: Duration): ReadonlyArray<string> => {
  const own = `${source.slice("src/".length).replace(/\.(ts|sql)$/, "")}.test.js`
  const rank = (file: string) =>
    file === own ? 0 : isBeside(file, source) ? 1 : 20 - Math.min(nearness(file, source), 10)
  return files
    .map((file) => ({ file, rank: rank(file), seconds: duration(file) }))
    .sort((one, other) => one.rank - other.rank || one.seconds - other.seconds)
    .map(({ file }) => file)
}

/** Those that are asked before anybody has to know which files run through the line. */
export const filesBeside = (source: string, duration: Duration): ReadonlyArray<string> =>
  inOrder(
    testFiles.filter((file) => isBeside(file, source)),
    source,
    duration,
  )

/**
 * All others. `reaching`: the files that run through the line; what others with shares try depends on the seed, so they may as
 * well. Absent: nobody knows.
 */
export const filesBeyond = (
  source: string,
  duration: Duration,
  reaching: ReadonlySet<string> | undefined,
): ReadonlyArray<string> => {
  const others = testFiles.filter((file) => !isBeside(file, source))
  if (reaching === undefined) return inOrder(others, source, duration)
  const reach = (file: string) => reaching.has(file)
  return [
    ...inOrder(others.filter(reach), source, duration),
    ...inOrder(
      others.filter((file) => !reach(file) && hasShares(file)),
      source,
      duration,
    ),
  ]
}
