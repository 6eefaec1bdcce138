/**
 * A whole server in a process of its own, which can be killed at any moment and started again on the same port,
 * folder and database. An end that nobody asked for, and anything that the server logs as an error, is a fault.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { packageFile } from "../../../src/db/package-root.ts"
import { findFreePort } from "../../../src/testing/free-port.ts"
import { killAtExit } from "../../kit/kill-at-exit.ts"
import { until } from "../../kit/test-database.ts"

/** This program. */
export const ownProgram = packageFile("dist/program/main.js")
const readyMilliseconds = 60_000
const keptOutput = 20_000

export interface ServerOptions {
  /** For the secret, and for the embedded database. */
  readonly folder: string
  /** PostgreSQL; null: the embedded database. */
  readonly url: string | null
  readonly onFault: (fault: string) => void
}

export type Settings = Readonly<Record<string, string>>

export class ServerProcess {
  readonly port: number
  readonly #options: ServerOptions
  #child: ChildProcess | null = null
  #output = ""
  #starts = 0

  private constructor(port: number, options: ServerOptions) {
    this.port = port
    this.#options = options
  }

  static async create(options: ServerOptions): Promise<ServerProcess> {
    return new ServerProcess(await findFreePort(), options)
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  get starts(): number {
    return this.#starts
  }

  /** The end of what this and earlier processes have printed. */
  get output(): string {
    return this.#output
  }

  start(settings: Settings = {}, program = ownProgram): void {
    if (this.#child !== null) throw new Error("the server runs already")
    const { url, folder, onFault } = this.#options
    const child = spawn(process.execPath, [program], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        PARLEY_MODE: "development",
        PARLEY_PORT: String(this.port),
        PARLEY_DATA_DIR: folder,
        PARLEY_RATE_LIMIT: "off",
        PARLEY_SYNC: "off",
        ...(url === null ? {} : { DATABASE_URL: url }),
        ...settings,
      },
    })
    this.#child = child
    killAtExit(child, "SIGKILL")
    this.#starts++
    child.stdout.on("data", (bytes) => this.#print(String(bytes)))
    child.stderr.on("data", (bytes) => this.#print(String(bytes)))
    child.once("exit", (code, signal) => {
      if (this.#child !== child) return
      this.#child = null
      onFault(`the server ended by itself with ${code ?? signal}; its last words:\n${this.#output.slice(-2000)}`)
    })
  }

  #print(text: string): void {
    this.#output = (this.#output + text).slice(-keptOutput)
    if (/\b(ERROR|FATAL)\b/.test(text)) this.#options.onFault(`the server logged an error: ${text.slice(0, 2000)}`)
  }

  async ready(): Promise<void> {
    await until("the server is ready", readyMilliseconds, async () => {
      if (this.#child === null) throw new Error(`the server ended before it was ready:\n${this.#output.slice(-2000)}`)
      const response = await fetch(`${this.origin}/ready`).catch(() => null)
      return response?.status === 200
    })
  }

  /** As a crash: no handler of the server runs. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL")
  }

  /** As an operator stops it; anything but a clean exit is a fault. */
  async stop(): Promise<void> {
    const code = await this.#end("SIGTERM")
    if (code !== 0) this.#options.onFault(`SIGTERM was answered with exit code ${code}`)
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#child
    if (child === null) return null
    this.#child = null
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined
    child.kill(signal)
    await ended
    return child.exitCode
  }
}
