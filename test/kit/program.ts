/**
 * Runs the real program in processes, each with its own database and port, killed when the test ends. For tests of exit
 * codes, signals and output, which a server in the test's own process cannot show.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Test } from "tap"
import type { DatabaseConfig } from "../../src/config/config.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { type Person, personOf, request } from "./client.ts"
import { startEnvironment } from "./start-environment.ts"
import { createDatabase, createFolder, until } from "./test-database.ts"

/** What the log says once in each start. */
export const servesMessage = "this server serves"

/** That line, in either form, with the port. */
const serves = new RegExp(`${servesMessage}.* listens="[^"]*:(\\d+)"|"listens":"[^"]*:(\\d+)".*${servesMessage}`)

/** What a refused start or command prints. */
export const oneLine = /^parley: [^\n]+\n$/

/** Generous: a start takes a second on an idle machine. */
const startMilliseconds = 60_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One process of the program, and all that it has printed. */
export class Program {
  readonly #child: ChildProcess
  out = ""
  err = ""
  readonly ended: Promise<Ended>
  #isRunning = true

  /** `input`: all of its standard input; nothing if absent. */
  constructor(t: Test, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, input?: string) {
    this.#child = spawn(process.execPath, [packageFile("bin/parley.js"), ...args], {
      env: { PATH: process.env["PATH"], ...startEnvironment, PARLEY_SYNC: "off", ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    })
    // One that does not read it may have ended before it is written.
    this.#child.stdin?.on("error", () => {}).end(input)
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.out += chunk.toString("utf8")
    })
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.err += chunk.toString("utf8")
    })
    this.ended = new Promise((resolve) => {
      // After both pipes have ended: nothing more will be printed.
      this.#child.once("close", (code, signal) => {
        this.#isRunning = false
        resolve({ code, signal })
      })
    })
    t.teardown(() => {
      this.signal("SIGKILL")
      return this.ended
    })
  }

  /** See `logOf`. */
  get log(): ReadonlyArray<string> {
    return logOf(this.err)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Whoever reads what it prints goes away. */
  closeOutput(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  /** Resident memory in megabytes. Linux only. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "latin1")
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#isRunning) this.#child.kill(signal)
  }

  /** Kills it and waits until it is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL")
    await this.ended
  }

  async listens(): Promise<void> {
    await until("the program listens", startMilliseconds, () => {
      if (!this.#isRunning) throw new Error(`it ended: ${this.err}${this.out}`)
      return this.isServing
    })
  }

  /** It has said so: in development mode by its banner, in production by its log. */
  get isServing(): boolean {
    return / data .* mode\n/.test(this.out) || serves.test(this.err)
  }

  /** The port that it says it listens on. */
  async port(): Promise<number> {
    await this.listens()
    const said = /^Parley listens on \S*?:(\d+)\b/m.exec(this.out) ?? serves.exec(this.err)
    return Number(said?.[1] ?? said?.[2])
  }
}

/** Flags for a database and a port; `folder` holds the secret. */
const flagsFor = (database: DatabaseConfig, folder: string, port: number): ReadonlyArray<string> => [
  "--port",
  String(port),
  "--data-dir",
  database.kind === "pglite" ? database.folder : folder,
  ...(database.kind === "pglite" ? [] : ["--database-url", database.url]),
]

export const makeFlags = async (t: Test): Promise<(port: number) => ReadonlyArray<string>> => {
  const [database, folder] = [await createDatabase(t), await createFolder(t)]
  return (port) => flagsFor(database, folder, port)
}

/** What a server writes to its log when a signal ends it. */
export const stopLine = (signal: NodeJS.Signals): string =>
  `INFO ${signal}: this server ends, when it has answered what is in flight`

const textLine = /^\d\d:\d\d:\d\d\.\d{3} ([A-Z]+) +(.*)$/
const JsonLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ level: Schema.String, message: Schema.String })),
)

/** Lines of a server's log as `LEVEL message`, without the one that says that it serves; what is no such line as it is. */
export const logOf = (err: string): ReadonlyArray<string> =>
  err
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, level, message] = textLine.exec(line) ?? []
      if (level !== undefined) return `${level} ${message}`
      const json = Option.getOrUndefined(JsonLine(line))
      return json === undefined ? line : `${json.level.toUpperCase()} ${json.message}`
    })
    .filter((line) => !line.startsWith(`INFO ${servesMessage}`))

export const originOf = (port: number): string => `http://127.0.0.1:${port}`

/** Signs in as a user of the demo organization. */
export const signIn = async (port: number, name: string): Promise<Person> => {
  const email = `${name}@demo.example`
  const { body } = await request(originOf(port), "POST", "/dev_fetch_api_key", { username: email })
  return personOf(originOf(port), { email, key: String(body["api_key"]) })
}
