/**
 * Starts processes that serve one port together, as family.ts orders it: each is this program again, with the same environment and
 * arguments and a number of its own, and with a channel by which it says that it serves. Used by main.ts.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import type { ClockShape } from "../../clock.ts"
import { childVariable } from "../../config/processes-config.ts"
import type { ServerLog } from "../log.ts"
import { ready, replaced } from "./as-child.ts"
import {
  beginFamily,
  type Family,
  type FamilyEvent,
  type FamilySetup,
  type Order,
  type Stepped,
  step,
} from "./family.ts"
import { wholeLines } from "./whole-lines.ts"

interface FamilyOptions extends FamilySetup {
  readonly clock: ClockShape
  readonly say: ServerLog["say"]
  /** Where what the processes print goes. */
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

export interface RunningFamily {
  /** Resolves to the exit code when all have ended. */
  readonly ended: Promise<number>
  /** Another process takes the place of each. */
  readonly roll: () => void
  /** All are told to end. */
  readonly end: () => void
  readonly killAll: () => void
}

/** After the end of a process, for what it has printed last: a program that it had started may have its output open. */
const outputMilliseconds = 1000
/** Nothing else keeps a process that waits for a timer only. */
const longTime = 2 ** 30

const pass = (stream: Readable | null, write: (text: string) => void): void => {
  const lines = wholeLines(write)
  stream
    ?.on("data", lines.add)
    .on("error", () => {})
    .once("close", lines.end)
}

const howOf = (code: number | null, signal: NodeJS.Signals | null): string => signal ?? `exit code ${code}`

export const runFamily = (options: FamilyOptions): RunningFamily => {
  const { clock, say } = options
  const processes = new Map<number, ChildProcess>()
  const keptAlive = setInterval(() => {}, longTime)
  let exit: (code: number) => void = () => {}
  const ended = new Promise<number>((resolve) => {
    exit = resolve
  })

  const launch = (number: number): void => {
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      env: { ...process.env, [childVariable]: String(number) },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    })
    processes.set(number, child)
    pass(child.stdout, options.out)
    pass(child.stderr, options.err)
    const gone = (code: number | null, how: string): void => {
      if (processes.get(number) !== child) return
      processes.delete(number)
      happen({ is: "ended", number, code, how })
    }
    child.on("message", (message) => {
      if (message === ready) happen({ is: "ready", number })
    })
    child.on("error", (error) => {
      // Else it is there, and only a message to it was lost.
      if (child.pid === undefined) gone(null, error.message)
    })
    child.once("exit", (code, signal) => {
      const late = clock.after(outputMilliseconds, () => gone(code, howOf(code, signal)))
      child.once("close", () => {
        late.cancel()
        gone(code, howOf(code, signal))
      })
    })
  }

  const carryOut = (order: Order): void => {
    switch (order.order) {
      case "start":
        return launch(order.number)
      case "replace": {
        const child = processes.get(order.number)
        // Without the channel it still hears a signal.
        return void child?.send(replaced, (error) => error !== null && child.kill("SIGTERM"))
      }
      case "stop":
        return void processes.get(order.number)?.kill("SIGTERM")
      case "kill":
        return void processes.get(order.number)?.kill("SIGKILL")
      case "wake":
        return void clock.after(order.seconds * 1000, () => happen({ is: "due", ...order.awaited }))
      case "say":
        return say(order.level, order.message)
      case "exit":
        clearInterval(keptAlive)
        return exit(order.code)
    }
  }

  let family: Family
  const become = ([after, orders]: Stepped): void => {
    family = after
    for (const order of orders) carryOut(order)
  }
  const happen = (event: FamilyEvent): void => become(step(family, event, clock.elapsed(), options))
  become(beginFamily(options, clock.elapsed()))

  return {
    ended,
    roll: () => happen({ is: "roll" }),
    end: () => happen({ is: "end" }),
    killAll: () => {
      for (const child of processes.values()) child.kill("SIGKILL")
    },
  }
}
