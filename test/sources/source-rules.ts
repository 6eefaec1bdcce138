/**
 * The rules of the source that a compiler does not know: which part may import which, where SQL and state stand, how files are
 * named, how long they are and how many stand together, and what no test sets for all. Works on texts, so that imports.test.ts
 * can also plant violations.
 */
import { posix } from "node:path"
import { features } from "../../src/chat/features.ts"
import { scanSource } from "./source-scanner.ts"

export interface Source {
  /** From the root of the project, with `/`. */
  readonly path: string
  readonly text: string
}

type Part = "contract" | "start" | "top" | "db" | "jobs" | "events" | "chat" | "http" | "openapi" | "client" | "web"

/** The parts that each may import; none may import `top` but `top`. */
const arrows: Readonly<Record<Part, ReadonlyArray<Part>>> = {
  contract: ["contract"],
  start: ["start", "contract"],
  db: ["db", "contract"],
  jobs: ["jobs", "db", "contract"],
  events: ["events", "db", "contract"],
  chat: ["chat", "jobs", "events", "db", "contract"],
  http: ["http", "events", "contract"],
  openapi: ["openapi", "chat", "contract"],
  client: ["client"],
  web: ["web", "client"],
  top: ["top", "start", "contract", "db", "jobs", "events", "chat", "http", "openapi", "client"],
}

const topFiles = ["app", "main", "cli", "banner", "demo-guide", "output"]
/** Folders of the program beside those. */
const topFolders = ["command-line", "testing"]
const startFiles = [
  "config/limit-bounds",
  "config/data-folder",
  "config/describe-settings",
  "config/read-directory",
  "config/directory-settings",
  "config/limit-conflicts",
  "config/mode-conflicts",
  "config/parse-arguments",
  "config/outgoing-allow",
  "config/sign-up-conflicts",
  "config/mail-settings",
  "config/nats-address",
  "config/processes-settings",
  "config/secret",
  "config/setting",
  "config/settings",
  "config/read-settings",
]
/** Folders that hold contracts. */
const contractFolders = ["api", "config", "fairness"]

/** Undefined for a folder of src that the layout does not know. A file beside the contracts is held to their rule. */
export const findPart = (path: string): Part | undefined => {
  const [folder = "", below] = path.slice("src/".length).split("/")
  if (below !== undefined && topFolders.includes(folder)) return "top"
  const name = path.slice("src/".length).replace(/\.ts$/, "")
  if (below !== undefined && !contractFolders.includes(folder))
    return (Object.keys(arrows) as ReadonlyArray<Part>).find((part) => part === folder)
  return topFiles.includes(name) ? "top" : startFiles.includes(name) ? "start" : "contract"
}

/** The folders of src/chat in the order in which they build on each other: see src/chat/features.ts. */
const order: ReadonlyArray<string> = features.map(({ area, name }) => `${area}/${name}`)

interface Feature {
  readonly label: string
  /** Its place in the order; -1 where the order does not have it. */
  readonly place: number
}

/**
 * Undefined outside of src/chat. The shape of the definitions stands before all features and may be imported by definitions only; their
 * list after all.
 */
const findFeature = (path: string): Feature | undefined => {
  const [src, chat, area = "", feature = "", below] = path.split("/")
  if (src !== "src" || chat !== "chat") return undefined
  if (feature === "") return { label: `chat/${area.replace(/\.ts$/, "")}`, place: order.length }
  return { label: `chat/${area}/${feature}`, place: below === undefined ? -1 : order.indexOf(`${area}/${feature}`) }
}

export const isDefinition = (path: string): boolean => /^src\/chat\/.+\/feature\.ts$/.test(path)
const definitionShape = "src/chat/feature.ts"
const featureList = "src/chat/features.ts"

/** Packages that belong to one place, and who may name them. */
const owners: ReadonlyArray<{ readonly packages: RegExp; readonly owner: RegExp; readonly rule: string }> = [
  {
    packages: /^uWebSockets\.js/,
    owner: /^src\/http\/network\/uws[^/]*\.ts$/,
    rule: "only src/http/network/uws*.ts imports uWebSockets.js",
  },
  { packages: /^(postgres|@electric-sql\/.*|@nats-io\/.*)$/, owner: /^src\/db\//, rule: "only src/db names a driver" },
]

const mayHoldSql = /^src\/db\/|(^|[/-])store\.ts$|^src\/events\/log[^/]*\.ts$/
const statement =
  /^\s*(select\s+(\w+\s*\(|[\s\S]+\sfrom\s)|insert\s+into\s|update\s+\w+(\s+(as\s+)?\w+)?\s+set\s|delete\s+from\s|with\s+(recursive\s+)?\w+\s+as\s|(create|alter|drop)\s+(or\s+replace\s+)?(table|index|function)\s)/i

/**
 * Migrations may: they bring rows of older programs up to what the program itself does by now. Functions for the bounds of
 * ranges have the same names.
 */
const mayFold = /^src\/db\/migrations\/|^src\/chat\/ground\/realm\/ranges\.sql$/
const foldingSql = /\b(?:lower|upper|initcap)\s*\(|\bilike\b/i
const foldingFault = (text: string): string | undefined => {
  const [found] = foldingSql.exec(text) ?? []
  return (
    found && `SQL compares what the program has folded, see fold in src/chat/ground/realm/domain-values.ts (${found})`
  )
}

const anyType = /(?:[:<|&,=]|=>|\b(?:as|extends|keyof|is))\s*any\b(?!\s*[:(.])/
const suppression = /@ts-(?:ignore|expect-error|nocheck)|biome-ignore/
const shapelessName = /(^|\/)(utils?|common|helpers?|lib)(\/|\.[^/]*$)/
/** The most lines of a file, so that it can be read in one go, and the most files of a folder, but for the migrations: they only grow. */
const mostLines = 300
const mostFiles = 25
/** Written by the program src/openapi/client-types.ts, and as long as the interface. */
const generated = "src/client/api.ts"

/** Files whose module level is shared by all realms, and by all servers of a test: so nothing of it may change. */
const stateless = /^src\/(chat|events)\//
/** Only what begins a line is at module level: the formatter indents all else. */
const moduleVariable = /^(?:export\s+)?(?:let|var)\s+(\w+)/gm
const moduleCollection = /^(?:export\s+)?const\s+(\w+)\s*(?::\s*([^\n]*?))?\s*=\s*new\s+(?:Map|Set)\b/gm
const isReadonlyType = /^Readonly(?:Map|Set)\b/

const stateFaults = (code: string): ReadonlyArray<string> => [
  ...[...code.matchAll(moduleVariable)].map(([, name]) => `state at module level (${name})`),
  ...[...code.matchAll(moduleCollection)]
    .filter(([, , type = ""]) => !isReadonlyType.test(type))
    .map(([, name]) => `state at module level, unless it is typed ReadonlyMap or ReadonlySet (${name})`),
]

/** What belongs to a whole process of tests: the files that it runs have nothing else of their own. */
const ofTheProcess: ReadonlyArray<{ readonly found: RegExp; readonly fault: string }> = [
  {
    // What begins a line is no part of a subtest.
    found: /^(?:t|tap)\.(?:jobs(?=\s*=[^=])|before|beforeEach|afterEach)\b/m,
    fault: "set for all files of the process: it belongs into a test",
  },
  {
    found:
      /\bprocess\.env(?:\.\w+|\[[^\]\n]*\])\s*=(?!=)|\bdelete process\.env\b|\b(?:assign|set|deleteProperty|defineProperty)\(process\.env,/,
    fault: "the environment is that of all tests of the process",
  },
  { found: /\bprocess\.(?:chdir|umask)\(/, fault: "the folder and its mask are those of all tests of the process" },
]

const testFaults = (code: string): ReadonlyArray<string> =>
  ofTheProcess.filter(({ found }) => found.test(code)).map(({ fault }) => fault)

const importFault = (path: string, specifier: string): string | undefined => {
  if (!specifier.startsWith(".")) {
    const owned = owners.find(({ packages, owner }) => packages.test(specifier) && !owner.test(path))
    if (owned !== undefined) return owned.rule
    if (findPart(path) === "web")
      return /^preact(\/hooks)?$/.test(specifier) ? undefined : "the page imports no package but preact"
    if (findPart(path) === "client") return "the client imports no package: it runs in browsers, too"
    const isPlain = findPart(path) !== "contract" || /^effect(\/|$)/.test(specifier)
    return isPlain ? undefined : "a contract imports only contracts and effect"
  }
  const target = posix.join(posix.dirname(path), specifier)
  if (!target.startsWith("src/")) return "the program imports only from src"
  const from = findPart(path)
  const to = findPart(target)
  if (from === undefined || to === undefined) return "a folder that the layout does not know"
  return arrows[from].includes(to) ? featureFault(path, target) : `${from} does not import ${to}`
}

const definitionFault = (path: string, target: string): string | undefined => {
  if (target === definitionShape && path !== featureList) return "only definitions import the shape of a definition"
  return isDefinition(target) ? "only src/chat/features.ts imports definitions" : undefined
}

const featureFault = (path: string, target: string): string | undefined => {
  if (
    path === definitionShape ||
    (path === featureList && isDefinition(target)) ||
    (isDefinition(path) && target === definitionShape)
  )
    return undefined
  const fault = definitionFault(path, target)
  if (fault !== undefined) return fault
  const from = findFeature(path)
  const to = findFeature(target)
  // A file whose own feature is unknown is named once, not for each of its imports.
  if (from === undefined || to === undefined || from.place < 0) return undefined
  if (to.place < 0) return `${to.label} is not in the order of the features`
  return from.place < to.place ? `${from.label} comes before ${to.label} and does not import it` : undefined
}

/** Faults of every file of the program, whatever it is written in. */
const fileFaults = ({ path, text }: Source): ReadonlyArray<string> => {
  const feature = findFeature(path)
  const lines = text.split("\n").length - 1
  const folding = path.endsWith(".sql") && !mayFold.test(path) ? foldingFault(text) : undefined
  return [
    ...(folding === undefined ? [] : [folding]),
    ...(feature !== undefined && feature.place < 0 ? [`${feature.label} is not in the order of the features`] : []),
    ...(lines > mostLines && path !== generated ? [`${lines} lines, more than ${mostLines}: split it`] : []),
  ]
}

/** Whom a request names is found for whoever asks: else it tells that somebody of whom they may not know is there. */
const isEndpoint = /\b(?:userEndpoint|openEndpoint|eitherEndpoint)\(/
const findsAnybody = "an endpoint finds people by chat/ground/realm/acquaintance/find-user.ts, not by findPerson"

const programFaults = ({ path, text }: Source): ReadonlyArray<string> => {
  const { code, imports, strings } = scanSource(text)
  return [
    ...imports.flatMap((specifier) => {
      const fault = importFault(path, specifier)
      return fault === undefined ? [] : [`${fault} (${specifier})`]
    }),
    ...(mayHoldSql.test(path) ? strings : []).flatMap((text) => foldingFault(text) ?? []),
    ...(mayHoldSql.test(path) ? [] : strings.filter((text) => statement.test(text))).map(
      (text) => `SQL belongs into a store, a .sql file or src/db (${text.trim().slice(0, 40)})`,
    ),
    ...(stateless.test(path) ? stateFaults(code) : []),
    ...(isEndpoint.test(code) && /\bfindPerson\b/.test(code) ? [findsAnybody] : []),
  ]
}

const findFullFolders = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    const folder = posix.dirname(path)
    if (path.startsWith("src/") && folder !== "src/db/migrations") counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder}: ${count} files, more than ${mostFiles}: divide it`)
}

/** Every violation as `path: what is wrong`. */
export const findViolations = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => [
  ...sources.flatMap((source) => {
    const { path, text } = source
    const faults: Array<string> = shapelessName.test(path) ? ["a name that says nothing"] : []
    if (path.startsWith("src/")) faults.push(...fileFaults(source))
    if (/\.tsx?$/.test(path)) {
      const { code, comments } = scanSource(text)
      if (anyType.test(code)) faults.push("the type any")
      if (suppression.test(comments)) faults.push("a comment that silences the compiler or the linter")
      if (path.startsWith("src/")) faults.push(...programFaults(source))
      if (path.startsWith("test/")) faults.push(...testFaults(code))
    }
    return faults.map((fault) => `${path}: ${fault}`)
  }),
  ...findFullFolders(sources),
]
