/** A server in a process of its own whose changes of the data folder are recorded, run by run (recorder.ts). */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Predicate from "effect/Predicate"
import { killAtExit } from "../../kit/kill-at-exit.ts"

const program = fileURLToPath(new URL("./server-child.js", import.meta.url))
const recorder = fileURLToPath(new URL("./recorder.js", import.meta.url))

/** A moment of a history: a run, and a length of its journal. */
export interface Moment {
  readonly run: number
  readonly length: number
}

export const isBefore = (one: Moment, other: Moment): boolean =>
  one.run < other.run || (one.run === other.run && one.length <= other.length)

export interface Run {
  readonly journal: string
  readonly sync: boolean
}

export class RecordedServer {
  readonly #parent: string
  readonly #runs: Array<Run> = []
  #child: ChildProcess | null = null
  #port = 0
  #output = ""
  #ended: Promise<unknown> = Promise.resolve()

  /** `parent` exists, and is not recorded itself. */
  constructor(parent: string) {
    this.#parent = parent
  }

  get folder(): string {
    return join(this.#parent, "data")
  }

  get runs(): ReadonlyArray<Run> {
    return this.#runs
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The moment now: everything that was done by now is recorded before it. */
  now(): Moment {
    const run = this.#runs.length - 1
    return { run, length: statSync(this.#runs[run]?.journal ?? "").size }
  }

  async start(sync: boolean): Promise<void> {
    const journal = join(this.#parent, `journal-${this.#runs.length}`)
    this.#runs.push({ journal, sync })
    // Of the arguments of the process its threads get none. And by `env`, behind what tap has its children load, which changes
    // files too, and whose port to a thread can keep a process that has ended its work.
    const options = `NODE_OPTIONS=--import=${pathToFileURL(recorder).href}`
    const child = spawn("env", [options, process.execPath, program], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        PATH: process.env["PATH"] ?? "",
        PARLEY_TEST_POWER_ROOT: this.#parent,
        PARLEY_TEST_POWER_JOURNAL: journal,
        PARLEY_DATA_DIR: this.folder,
        PARLEY_PORT: "0",
        PARLEY_RATE_LIMIT: "off",
        PARLEY_SYNC: sync ? "on" : "off",
      },
    })
    this.#child = child
    killAtExit(child, "SIGKILL")
    this.#ended = once(child, "exit")
    const print = (bytes: Buffer) => {
      this.#output = (this.#output + bytes.toString("utf8")).slice(-5000)
    }
    child.stdout?.on("data", print)
    child.stderr?.on("data", print)
    const message = await this.#answer(child)
    this.#port = Number(Predicate.hasProperty(message, "port") ? message.port : Number.NaN)
  }

  /** Runs one statement beside what the server does. */
  async sql(statement: string): Promise<void> {
    const child = this.#running()
    const answer = this.#answer(child)
    child.send({ sql: statement })
    await answer
  }

  /** In the middle of everything, but not between a change and its note (recorder.ts). */
  async kill(): Promise<void> {
    await this.#end((child) => child.send({ kill: true }))
  }

  /** Ends it where it still runs because a test has failed. */
  async abandon(): Promise<void> {
    if (this.#child !== null) await this.#end((child) => child.kill("SIGKILL"))
  }

  async stop(): Promise<void> {
    await this.#end((child) => child.send({ stop: true }))
  }

  #running(): ChildProcess {
    if (this.#child === null) throw new Error("the server does not run")
    return this.#child
  }

  async #answer(child: ChildProcess): Promise<unknown> {
    const answer = once(child, "message").then(([message]) => message)
    const isOver = await Promise.race([answer.then(() => false), this.#ended.then(() => true)])
    if (isOver) throw new Error(`the server ended by itself; its last words:\n${this.#output}`)
    return answer
  }

  async #end(how: (child: ChildProcess) => void): Promise<void> {
    const child = this.#running()
    this.#child = null
    how(child)
    await this.#ended
  }
}
