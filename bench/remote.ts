/**
 * Commands from one process of a benchmark to another: JSON parameters, a checked JSON answer. The runner starts
 * servers and load clients with `Remote`; they answer by `serveCommands`. Each process ends when the runner ends, even
 * by a crash.
 */
import { type ChildProcess, fork, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"

export type Decode<A> = (value: unknown) => A

const Asked = Schema.decodeUnknownSync(
  Schema.Struct({ id: Schema.Number, command: Schema.String, parameters: Schema.Unknown }),
)
const Answered = Schema.decodeUnknownSync(
  Schema.Struct({ id: Schema.Number, answer: Schema.optional(Schema.Unknown), fault: Schema.optional(Schema.String) }),
)

/** Whether the system can pin a process to a core. */
export const mayPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0

/** Moves a thread to a core: the embedded database must not take the server's own, as PostgreSQL would not. */
export const pin = (thread: number, core: number): void => {
  if (mayPin) spawnSync("taskset", ["-c", "-p", `${core}`, `${thread}`])
}

interface Waiting {
  readonly resolve: (answer: unknown) => void
  readonly reject: (fault: Error) => void
}

export class Remote {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #next = 0

  private constructor(child: ChildProcess, name: string) {
    this.#child = child
    child.on("message", (message) => {
      const { id, answer, fault } = Answered(message)
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (fault === undefined) waiting?.resolve(answer)
      else waiting?.reject(new Error(`${name}: ${fault}`))
    })
    child.on("exit", (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${name} ended: ${code ?? signal}`))
      this.#waiting.clear()
    })
  }

  /** `program` is a compiled file beside this one; `core` pins it where the system can, null lets it run anywhere. */
  static start(program: string, core: number | null): Remote {
    const file = fileURLToPath(new URL(`./${program}`, import.meta.url))
    const flags = ["--expose-gc"]
    const pinned = { execPath: "taskset", execArgv: ["-c", `${core}`, process.execPath, ...flags] }
    return new Remote(fork(file, [], mayPin && core !== null ? pinned : { execArgv: flags }), program)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  ask<A>(command: string, parameters: object, decode: Decode<A>): Promise<A> {
    const id = this.#next++
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#child.send({ id, command, parameters })
    return answer.then(decode)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once("exit", resolve))
    this.#child.kill("SIGTERM")
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 20_000)
    await ended
    clearTimeout(late)
  }
}

export type Commands = Readonly<Record<string, (parameters: unknown) => Promise<object>>>

/** Answers commands in a started process. When its runner ends, it calls `close` and ends, too. */
export const serveCommands = (commands: Commands, close: () => Promise<void>): void => {
  const end = () => void close().finally(() => process.exit(0))
  process.on("disconnect", end)
  process.once("SIGTERM", end)
  process.on("message", (message) => {
    const { id, command, parameters } = Asked(message)
    const run = commands[command]
    const answer = run === undefined ? Promise.reject(new Error(`no command ${command}`)) : run(parameters)
    answer.then(
      (result) => process.send?.({ id, answer: result }),
      (fault: unknown) =>
        process.send?.({ id, fault: fault instanceof Error ? (fault.stack ?? fault.message) : `${fault}` }),
    )
  })
}
