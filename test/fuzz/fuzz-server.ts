/**
 * The server that is fed with inputs: the real program in a process of its own, with the demo organization, without limits on
 * requests. Notes the blocks of its loop, its memory, its end, and every line of its log that tells of an error.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { createInterface } from "node:readline"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { residentOf } from "../../src/command-line/bench/process-figures.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { startEnvironment } from "../kit/start-environment.ts"

const Block = Schema.Struct({ block: Schema.Number, own: Schema.Number, endedAt: Schema.Number })
/** Milliseconds: `own`, of which its thread has worked. `endedAt`: by the clock of the machine. */
export type Block = typeof Block.Type
const readBlock = Schema.decodeUnknownOption(Block)
const readLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ level: Schema.String, message: Schema.String })),
)

const startMilliseconds = 120_000
const sampleMilliseconds = 200
const mostBlocks = 2000

interface FuzzServerOptions {
  /** Goes with the server. */
  readonly folder: string
  /** Absent: the embedded database. */
  readonly databaseUrl?: string | undefined
  /** A module that is loaded before the program: a defect that is to be found. */
  readonly planted?: string
}

export class FuzzServer {
  readonly port: number
  readonly #child: ChildProcess
  readonly #folder: string
  readonly blocks: Array<Block> = []
  /** Whole lines of the log that tell of errors, or that nobody can read. */
  readonly errors: Array<string> = []
  mostResident = 0
  /** How it has ended by itself; null while it runs. */
  end: string | null = null
  #isStopping = false
  readonly #ended: Promise<void>
  readonly #sampler: NodeJS.Timeout

  private constructor(port: number, { folder, databaseUrl, planted }: FuzzServerOptions) {
    this.port = port
    this.#folder = folder
    const probe = new URL("./loop-probe.js", import.meta.url).href
    const loaded = planted === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(planted)}`]
    this.#child = spawn(process.execPath, ["--import", probe, ...loaded, packageFile("dist/program/main.js")], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        PATH: process.env["PATH"],
        ...startEnvironment,
        PARLEY_PORT: String(port),
        PARLEY_DATA_DIR: folder,
        PARLEY_RATE_LIMIT: "off",
        PARLEY_SYNC: "off",
        PARLEY_LOG_FORMAT: "json",
        PARLEY_LOG_LEVEL: "info",
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      },
    })
    this.#child.on("message", (message) => {
      const block = Option.getOrUndefined(readBlock(message))
      if (block !== undefined && this.blocks.length < mostBlocks) this.blocks.push(block)
    })
    const { stderr } = this.#child
    if (stderr !== null) createInterface({ input: stderr }).on("line", (line) => this.#takeLine(line))
    this.#ended = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => {
        if (!this.#isStopping) this.end = `the server ended: ${signal ?? code}`
        resolve()
      })
    })
    this.#sampler = setInterval(() => this.#sample(), sampleMilliseconds)
  }

  /** Resolves when it serves. */
  static async start(options: FuzzServerOptions): Promise<FuzzServer> {
    const server = new FuzzServer(await findFreePort(), options)
    const until = performance.now() + startMilliseconds
    for (;;) {
      const answer = await fetch(`${server.origin}/ready`).catch(() => undefined)
      if (answer?.status === 200) break
      if (server.end !== null || performance.now() > until) {
        await server.stop()
        throw new Error(`no server: ${server.end ?? "it is not ready"}: ${server.errors.join("\n")}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    // What its start has taken is no input's matter.
    server.blocks.length = 0
    return server
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** In bytes, at this moment. */
  get resident(): number {
    return residentOf(this.#child.pid ?? 0)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#sampler)
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 30_000)
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM")
    await this.#ended
    clearTimeout(late)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #sample(): void {
    const resident = this.resident
    if (resident > this.mostResident) this.mostResident = resident
  }

  #takeLine(line: string): void {
    const read = Option.getOrUndefined(readLine(line))
    if (read === undefined || read.level === "error") this.errors.push(line)
  }
}
