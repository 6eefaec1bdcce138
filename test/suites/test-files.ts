/** Which test files each kind of run has. The program that starts the runs (scripts/test.mjs) and the final count ask here. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { seed, shareOf } from "../kit/share.ts"
import { dear } from "./dear.ts"

export { seed }

/** The folder of the compiled tests. */
export const testFolder = fileURLToPath(new URL("..", import.meta.url))

/** Paths below test/ of all test files, as `chat/people/users/roles/roles.test.ts`. */
export const allFiles = (): ReadonlyArray<string> =>
  readdirSync(testFolder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.js"))
    .map((file) => file.replace(/js$/, "ts"))
    .sort()

export const compiledFile = (file: string): string => join(testFolder, file.replace(/ts$/, "js"))

const isAt = (places: ReadonlyArray<string>) => (file: string) =>
  places.some((place) => file === `${place}.test.ts` || file.startsWith(`${place}/`))

/** Files that start programs; what of a place does not, stands in a file beside it. */
const startsPrograms = isAt([
  "bundle",
  "client/browser",
  "command-line/backup/kill",
  "command-line/backup/upgrade",
  "command-line/production-lines",
  "demo-guide",
  "faults/power-cut",
  "faults/upgrade",
  "log",
  "package",
  "testing/child-server",
  "testing/ends",
])
const isFullOnly = (file: string) => file.endsWith("-processes.test.ts") || startsPrograms(file)

/** What a database of another kind may do otherwise, whatever the features are. */
const isAboutDatabase = isAt([
  "db",
  "events",
  "faults",
  "jobs",
  "walks/conflicts",
  "walks/invariants",
  "walks/moves-model",
  "walks/settles",
])

const isDeep = isAt(["deep"])
const isOfBrowser = isAt(["browser"])
/** Whether a quick run may have it. */
const isQuick = (file: string) => !isDeep(file) && !isOfBrowser(file) && !isFullOnly(file)

const turns: ReadonlyMap<string, number> = new Map(dear)

/** Whether it is the file's turn: one of so many runs has it, as dear.ts says. */
const isInTurn = (seed: number) => (file: string) => shareOf([file], turns.get(file) ?? 1, file, seed).length > 0

/** The file that is always among those of the full run that an integration run takes in turn: it tries what is published. */
const packed = "package/pack.test.ts"

type Files = ReadonlyArray<string>

/** What a run has of all files. A share of them moves on with the seed, in full runs of these too. */
const select: Readonly<Record<string, (files: Files, seed: number) => Files>> = {
  /** What is cheap, what takes shares by itself, and of the rest what has its turn. */
  quick: (files, seed) => files.filter(isQuick).filter(isInTurn(seed)),
  /** All that a quick run may have, whoever has the turn: of these `--changed` takes what may see a change. */
  "all-quick": (files) => files.filter(isQuick),
  full: (files) => files.filter((file) => !isDeep(file) && !isOfBrowser(file)),
  /**
   * On the other database, beside a quick run: all that is about it, and of the rest what had no turn in that one but has in the
   * next, and half of what is always tried.
   */
  database: (files, seed) => {
    const quick = files.filter(isQuick)
    const rest = quick.filter((file) => !isAboutDatabase(file))
    return [
      ...quick.filter(isAboutDatabase),
      ...rest.filter((file) => turns.has(file) && turns.get(file) !== 1).filter(isInTurn(seed + 1)),
      ...shareOf(
        rest.filter((file) => (turns.get(file) ?? 1) === 1),
        2,
        "database",
        seed,
      ),
    ]
  },
  /** An eighth of what only the full run has. */
  turn: (files, seed) => {
    const rest = files.filter((file) => isFullOnly(file) && file !== packed)
    return [packed, ...shareOf(rest, 8, "turn", seed)]
  },
  deep: (files) => files.filter(isDeep),
  "deep-half": (files, seed) => shareOf(files.filter(isDeep), 2, "deep", seed),
  browser: (files) => files.filter(isOfBrowser),
  "browser-main": () => ["browser/chat.test.ts"],
}

export const kinds: ReadonlyArray<string> = Object.keys(select)

/** The longest first, so that no process is left alone at the end: those that are known, then the others by size. */
const inOrder = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Map(dear.map(([file], index) => [file, index]))
  const rank = (file: string) => known.get(file) ?? dear.length
  const size = new Map(files.map((file) => [file, statSync(compiledFile(file)).size]))
  return [...files].sort((a, b) => rank(a) - rank(b) || (size.get(b) ?? 0) - (size.get(a) ?? 0))
}

/** The files of a run. */
export const selectFiles = (kind: string, seed: number): Files => {
  const selected = select[kind]
  if (selected === undefined) throw new Error(`there is no run called ${kind}; there are ${kinds.join(", ")}`)
  return selected(allFiles(), seed)
}

/** The same in the order in which they are begun. */
export const filesOf = (kind: string): Files => inOrder(selectFiles(kind, seed))
