/**
 * Refusals by which the server protects itself: counted by limit, and logged once a minute with who was refused most
 * and how often. A line for each refusal would let whoever floods the server flood its log too. Noted by everything
 * that enforces a limit of docs/operations.md; made by app.ts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock, type ClockShape, type Timer } from "../clock.ts"

/** The limits, by the names that the log and docs/operations.md call them. */
export type LimitName =
  | "requests of a user"
  | "requests of an address"
  | "connections of an address"
  | "connections in all"
  | "sockets that have not signed in"
  | "request bodies"
  | "hosts in development mode"
  | "queues of a user"
  | "reads of a user"
  | "reads in all"
  | "large answers of a user"
  | "large answers in all"
  | "time of a read"
  | "messages to render of a user"
  | "messages to render in all"
  | "passwords at once"
  | "images at once"
  | "pictures at once"
  | "thumbnails at once"
  | "uploads at once"
  | "downloads at once"
  | "fetches from other servers"
  | "directory at once"
  | "page previews"
  | "failed sign-ins"
  | "organizations asked for"

export interface RefusalsShape {
  /** `who`: an address, `user 5 of realm 1`, or words where it is nobody in particular. */
  readonly note: (limit: LimitName, who: string) => void
  /** Number of times that each limit was hit since the start. */
  readonly counts: () => ReadonlyMap<LimitName, number>
}

interface StoppableRefusals extends RefusalsShape {
  /** Logs what has not been logged yet, and leaves no timer behind. */
  readonly stop: () => void
}

export class Refusals extends Context.Service<Refusals, RefusalsShape>()("parley/Refusals") {}

const minute = 60_000
/** Names kept for each limit within a minute; further ones are counted together. */
const mostNames = 1000
/** Names in a line of the log, those with the most refusals. */
const namesInLine = 5

interface Minute {
  total: number
  readonly byName: Map<string, number>
}

const line = (limit: LimitName, { total, byName }: Minute): string => {
  const most = [...byName].sort(([, a], [, b]) => b - a).slice(0, namesInLine)
  const named = most.map(([who, times]) => `${who} (${times})`)
  const others = total - most.reduce((sum, [, times]) => sum + times, 0)
  const list = [...named, ...(others > 0 ? [`others (${others})`] : [])].join(", ")
  return `refused ${total} times in a minute, limit "${limit}": ${list}`
}

/** `log` gets a line for each limit that was hit. The first comes a minute after the first refusal. */
export const makeRefusals = (clock: ClockShape, log: (text: string) => void): StoppableRefusals => {
  const totals = new Map<LimitName, number>()
  const current = new Map<LimitName, Minute>()
  let timer: Timer | null = null
  const report = () => {
    const ended = [...current]
    current.clear()
    for (const [limit, refusals] of ended) log(line(limit, refusals))
  }
  return {
    note: (limit, who) => {
      totals.set(limit, (totals.get(limit) ?? 0) + 1)
      if (current.size === 0) timer = clock.after(minute, report)
      const refusals = current.get(limit) ?? { total: 0, byName: new Map<string, number>() }
      current.set(limit, refusals)
      refusals.total += 1
      const known = refusals.byName.get(who)
      if (known !== undefined || refusals.byName.size < mostNames) refusals.byName.set(who, (known ?? 0) + 1)
    },
    counts: () => totals,
    stop: () => {
      timer?.cancel()
      report()
    },
  }
}

export const refusalsLayer = Layer.effect(
  Refusals,
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const warn = (text: string) => void Effect.runForkWith(context)(Effect.logWarning(text))
    const refusals = makeRefusals(yield* Clock, warn)
    yield* Effect.addFinalizer(() => Effect.sync(refusals.stop))
    return refusals
  }),
)
