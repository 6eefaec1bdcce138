/**
 * The rules of the source that a compiler does not know: which part may import which, where SQL stands, how
 * files are named and how long they are. Works on texts, so that imports.test.ts can also plant violations.
 */
import { posix } from "node:path"
import { scanSource } from "./source-scanner.ts"

export interface Source {
  /** From the root of the project, with `/`. */
  readonly path: string
  readonly text: string
}

type Part = "contract" | "start" | "top" | "db" | "events" | "chat" | "jobs" | "http" | "client"

/** The parts that each may import; none may import `top` but `top`. */
const arrows: Readonly<Record<Part, ReadonlyArray<Part>>> = {
  contract: ["contract"],
  start: ["start", "contract"],
  db: ["db", "contract"],
  events: ["events", "db", "contract"],
  chat: ["chat", "events", "db", "contract"],
  jobs: ["jobs", "chat", "events", "db", "contract"],
  http: ["http", "chat", "events", "contract"],
  client: ["client", "contract"],
  top: ["top", "start", "contract", "db", "events", "chat", "jobs", "http", "client"],
}

const topFiles = ["app", "main", "cli", "banner", "testing"]
const startFiles = ["config-secret", "config-settings", "config-source", "platform"]

/** Undefined for a folder of src that the layout does not know. A file beside the contracts is held to their rule. */
const findPart = (path: string): Part | undefined => {
  const [folder = "", below] = path.slice("src/".length).split("/")
  if (below !== undefined) return (Object.keys(arrows) as ReadonlyArray<Part>).find((part) => part === folder)
  const name = folder.replace(/\.ts$/, "")
  return topFiles.includes(name) ? "top" : startFiles.includes(name) ? "start" : "contract"
}

/** Packages that belong to one place, and who may name them. */
const owners: ReadonlyArray<{ readonly packages: RegExp; readonly owner: RegExp; readonly rule: string }> = [
  {
    packages: /^uWebSockets\.js/,
    owner: /^src\/http\/uws[^/]*\.ts$/,
    rule: "only src/http/uws*.ts imports uWebSockets.js",
  },
  { packages: /^(postgres|@electric-sql\/.*)$/, owner: /^src\/db\//, rule: "only src/db names a driver" },
]

const mayHoldSql = /^src\/db\/|(^|[/-])store\.ts$|^src\/events\/log[^/]*\.ts$/
const statement =
  /^\s*(select\s+(\w+\s*\(|[\s\S]+\sfrom\s)|insert\s+into\s|update\s+\w+(\s+(as\s+)?\w+)?\s+set\s|delete\s+from\s|with\s+(recursive\s+)?\w+\s+as\s|(create|alter|drop)\s+(or\s+replace\s+)?(table|index|function)\s)/i

const anyType = /(?:[:<|&,=]|=>|\b(?:as|extends|keyof|is))\s*any\b(?!\s*[:(.])/
const suppression = /@ts-(?:ignore|expect-error|nocheck)|biome-ignore/
const shapelessName = /(^|\/)(utils?|common|helpers?|lib)(\/|\.[^/]*$)/
const longest = 400

const importFault = (path: string, specifier: string): string | undefined => {
  if (!specifier.startsWith(".")) {
    const owned = owners.find(({ packages, owner }) => packages.test(specifier) && !owner.test(path))
    if (owned !== undefined) return owned.rule
    const isPlain = findPart(path) !== "contract" || /^effect(\/|$)/.test(specifier)
    return isPlain ? undefined : "a contract imports only contracts and effect"
  }
  const target = posix.join(posix.dirname(path), specifier)
  if (!target.startsWith("src/")) return "the program imports only from src"
  const from = findPart(path)
  const to = findPart(target)
  if (from === undefined || to === undefined) return "a folder that the layout does not know"
  return arrows[from].includes(to) ? undefined : `${from} does not import ${to}`
}

const programFaults = ({ path, text }: Source): ReadonlyArray<string> => {
  const { imports, strings } = scanSource(text)
  const lines = text.split("\n").length - 1
  return [
    ...imports.flatMap((specifier) => {
      const fault = importFault(path, specifier)
      return fault === undefined ? [] : [`${fault} (${specifier})`]
    }),
    ...(mayHoldSql.test(path) ? [] : strings.filter((text) => statement.test(text))).map(
      (text) => `SQL belongs into a store, a .sql file or src/db (${text.trim().slice(0, 40)})`,
    ),
    ...(lines > longest ? [`${lines} lines: split it before ${longest}`] : []),
  ]
}

/** Every violation as `path: what is wrong`. */
export const findViolations = (sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  sources.flatMap((source) => {
    const { path, text } = source
    const faults: Array<string> = shapelessName.test(path) ? ["a name that says nothing"] : []
    if (path.endsWith(".ts")) {
      const { code, comments } = scanSource(text)
      if (anyType.test(code)) faults.push("the type any")
      if (suppression.test(comments)) faults.push("a comment that silences the compiler or the linter")
      if (path.startsWith("src/")) faults.push(...programFaults(source))
    }
    return faults.map((fault) => `${path}: ${fault}`)
  })
