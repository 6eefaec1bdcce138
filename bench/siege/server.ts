/**
 * The server under siege: the real program in production mode with its default limits, in a process of its own on a
 * port that stays the same. One that dies, or takes more memory than the machine should give, is noted and started
 * again, so that the rest of the siege can go on. `kill` and `revive` do the same on purpose, without a pause.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream, type WriteStream } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { cpuOf, residentOf } from "../../src/command-line/bench/process-figures.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { startEnvironment } from "../../test/kit/start-environment.ts"
import { mayPin, pin } from "../remote.ts"

export interface ServerOptions {
  readonly databaseUrl: string | null
  readonly folder: string
  readonly secret: string
  readonly rateLimit: boolean
  /** The file of the server's own output. */
  readonly log: string
  /** Bytes of memory at which the server is ended. */
  readonly mostMemory: number
  /** The core for the server's own threads, and the one for its embedded database's; absent: wherever the system likes. */
  readonly cores?: { readonly server: number; readonly database: number }
  /** Further settings, as variables. */
  readonly settings?: Readonly<Record<string, string>>
}

const Reported = Schema.decodeUnknownSync(
  Schema.Struct({
    watching: Schema.optional(Schema.Boolean),
    longestBlock: Schema.optional(Schema.Number),
    databaseThreads: Schema.optional(Schema.Array(Schema.Number)),
  }),
)

const program = packageFile("dist/program/main.js")
const watch = new URL("./watch.js", import.meta.url).href
const startMilliseconds = 120_000
const sampleMilliseconds = 100
const endMilliseconds = 60_000

export class Server {
  readonly port: number
  readonly #options: ServerOptions
  readonly #log: WriteStream
  #child: ChildProcess | null = null
  /** The process whose loop is watched: one that was started since then has seen only a part. */
  #watched: ChildProcess | null = null
  /** Milliseconds that a process that serves again took to begin the watch: its first block may be as long. */
  #unwatched = 0
  #isEnding = false
  #sampler: NodeJS.Timeout | null = null
  /** Processor time of the processes that have died. */
  #pastCpu = 0
  #lastCpu = 0
  /** The threads of the embedded database; only known where cores were given. */
  #databaseThreads: ReadonlyArray<number> = []
  /** The most resident memory since `clear`, in bytes. */
  mostResident = 0
  /** The cause of each death of a process that died by itself. */
  readonly deaths: Array<string> = []

  private constructor(port: number, options: ServerOptions) {
    this.port = port
    this.#options = options
    this.#log = createWriteStream(options.log, { flags: "a" })
  }

  static async start(options: ServerOptions): Promise<Server> {
    const server = new Server(await findFreePort(), options)
    await server.#spawn()
    server.#sampler = setInterval(() => server.#sample(), sampleMilliseconds)
    return server
  }

  /** Processor time so far, in microseconds. */
  get cpu(): number {
    return this.#pastCpu + this.#lastCpu
  }

  /** The same without the embedded database's threads, of the present process only. */
  get ownCpu(): number {
    return cpuOf(this.#child?.pid ?? 0, this.#databaseThreads)
  }

  /** Bytes at this moment. */
  get resident(): number {
    return residentOf(this.#child?.pid ?? 0)
  }

  clear(): void {
    this.mostResident = 0
  }

  async watch(): Promise<void> {
    this.#unwatched = 0
    this.#watched = this.#child
    await this.#tell("watch")
  }

  /** The longest block of the event loop since `watch`, in milliseconds; NaN if the process has died meanwhile. */
  async longestBlock(): Promise<number> {
    if (this.#child !== this.#watched) return Number.NaN
    return Math.max(this.#unwatched, (await this.#tell("report"))?.longestBlock ?? Number.NaN)
  }

  /** As a crash: no handler of the server runs. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#isEnding = true
    const child = this.#child
    if (child === null) return
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await ended
  }

  /** Starts a killed server again, and resolves when it serves. Its loop is watched from the beginning. */
  async revive(): Promise<void> {
    this.#isEnding = false
    this.#pastCpu += this.#lastCpu
    this.#lastCpu = 0
    await this.#spawn(async () => {
      const began = performance.now()
      await this.watch()
      this.#unwatched = performance.now() - began
    })
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    if (this.#sampler !== null) clearInterval(this.#sampler)
    const child = this.#child
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      const late = setTimeout(() => child.kill("SIGKILL"), endMilliseconds)
      await ended
      clearTimeout(late)
    }
    this.#log.end()
  }

  #tell(what: "watch" | "report" | "threads"): Promise<ReturnType<typeof Reported> | null> {
    const child = this.#child
    if (child === null || !child.connected) return Promise.resolve(null)
    return new Promise((resolve) => {
      const end = () => resolve(null)
      child.once("exit", end)
      child.once("message", (answer) => {
        child.off("exit", end)
        resolve(Reported(answer))
      })
      child.send(what)
    })
  }

  #sample(): void {
    const pid = this.#child?.pid
    if (pid === undefined || this.#child?.exitCode !== null) return
    const resident = residentOf(pid)
    const cpu = cpuOf(pid)
    if (cpu > this.#lastCpu) this.#lastCpu = cpu
    if (resident > this.mostResident) this.mostResident = resident
    if (resident > this.#options.mostMemory) this.#child?.kill("SIGKILL")
  }

  /** Resolves when the server serves; `begun` is called first then. */
  async #spawn(begun: () => Promise<void> = async () => {}): Promise<void> {
    const { databaseUrl, folder, secret, rateLimit, cores, settings } = this.#options
    const line = [process.execPath, "--import", watch, program]
    const pinned = mayPin && cores !== undefined ? ["taskset", "-c", `${cores.server}`, ...line] : line
    const child = spawn(pinned[0] ?? "", pinned.slice(1), {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        PATH: process.env["PATH"],
        ...startEnvironment,
        PARLEY_MODE: "production",
        PARLEY_EXTERNAL_URL: `http://127.0.0.1:${this.port}`,
        PARLEY_PORT: `${this.port}`,
        PARLEY_DATA_DIR: folder,
        PARLEY_SECRET: secret,
        PARLEY_RATE_LIMIT: rateLimit ? "on" : "off",
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
        ...settings,
      },
    })
    this.#child = child
    child.stdout?.pipe(this.#log, { end: false })
    child.stderr?.pipe(this.#log, { end: false })
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("the server did not start in time")), startMilliseconds)
      let text = ""
      child.stderr?.on("data", (chunk: Buffer) => {
        if (text.length < 10_000) text += chunk.toString()
        if (!text.includes("this server serves")) return
        clearTimeout(late)
        resolve()
      })
      child.once("exit", (code, signal) => {
        clearTimeout(late)
        reject(new Error(`the server ended: ${code ?? signal}; see ${this.#options.log}`))
      })
    })
    child.once("exit", (code, signal) => void this.#restart(`${code ?? signal}`))
    await begun()
    if (cores === undefined || databaseUrl !== null) return
    this.#databaseThreads = (await this.#tell("threads"))?.databaseThreads ?? []
    for (const thread of this.#databaseThreads) pin(thread, cores.database)
  }

  async #restart(why: string): Promise<void> {
    if (this.#isEnding) return
    const megabytes = Math.round(this.mostResident / 2 ** 20)
    this.deaths.push(`${why}, at ${megabytes.toLocaleString("en")} MB at most`)
    this.#pastCpu += this.#lastCpu
    this.#lastCpu = 0
    // The kernel takes back the lock on the folder and the port of a large process only after a moment.
    for (let tries = 0; tries < 5 && !this.#isEnding; tries++) {
      await wait(1000)
      const started = await this.#spawn().then(
        () => true,
        () => false,
      )
      if (started) return
    }
  }
}
