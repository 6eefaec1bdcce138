/**
 * The writer by itself, on a log whose commits a test lets land. It notes what happens in which order: `sent a b`,
 * `at 2` (the projection is there), `a is 1` (the requester of `a` is answered that), `b gets 503`.
 */
import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { call, done, type Judgement } from "../../../src/events/command.ts"
import type { LogRow } from "../../../src/events/event.ts"
import { alone } from "../../../src/events/peers/peers.ts"
import { makeWriter } from "../../../src/events/writer.ts"
import { RealmId, WireId } from "../../../src/ids.ts"
import { manualClock } from "../../kit/manual-clock.ts"
import { type Fate, HeldLog, type TestCall } from "./held-log.ts"

/** What a command came to: its position, or why it has none. */
export type Ending = number | "503" | "unknown" | "500"

interface Projection {
  position: number
  /** The position of the newest change of rules that it was moved over. */
  rules: number
}

export interface Wish extends Partial<Omit<TestCall, "name" | "rules">> {
  /** The command says that it changes no rule, and its row does. */
  readonly isSecret?: boolean
}

export interface HeldWriter {
  readonly log: HeldLog
  readonly projection: Projection
  readonly happened: Array<string>
  /** Times that the server was told that its log was put back, or that another server holds the database. */
  readonly told: Array<"lost log" | "foreign">
  readonly submit: (name: string, wish?: Wish) => Promise<Ending>
  /** Lets the commit in flight land, and all happen that follows. */
  readonly land: (fate: Fate) => Promise<void>
  /** The row that the projection cannot be moved over. */
  stuckAt: number | null
  readonly catchUp: () => void
  readonly busy: () => boolean
}

/** Lets all happen that waits for nothing but turns of the loop. */
export const turns = async (): Promise<void> => {
  for (let n = 0; n < 8; n++) await setImmediate()
}

const endingOf = (exit: Exit.Exit<number, { readonly _tag: string }>): Ending => {
  if (Exit.isSuccess(exit)) return exit.value
  const tag = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error._tag
  return tag === "Unavailable" ? "503" : tag === "OutcomeUnknown" ? "unknown" : "500"
}

export const heldWriter = (): HeldWriter => {
  const log = new HeldLog()
  const happened: Array<string> = []
  const told: Array<"lost log" | "foreign"> = []
  const projection: Projection = { position: 0, rules: 0 }
  const clock = manualClock()
  let isStuck = false
  log.onSent = (names) => void happened.push(`sent ${names.join(" ")}`)

  const take = (position: number, changesRules: boolean): void => {
    if (held.stuckAt === position) isStuck = true
    if (isStuck) throw new Error("this row cannot be applied")
    projection.position = position
    if (changesRules) projection.rules = position
    happened.push(`at ${position}`)
  }
  const advance = (rows: ReadonlyArray<Pick<LogRow, "position" | "type">>): boolean => {
    for (const { position, type } of rows) {
      if (position <= projection.position) continue
      if (position !== projection.position + 1) return false
      take(position, type === "rules")
    }
    return true
  }
  const catchUp = (): void => {
    while (projection.position < log.head) {
      take(projection.position + 1, log.rows[projection.position]?.changesRules ?? false)
    }
  }

  const writer = makeWriter<Projection>({
    realm: RealmId(1),
    database: {
      kind: "postgres",
      query: () => Effect.die("not asked"),
      read: () => Effect.die("not asked"),
      snapshot: () => Effect.die("not asked"),
      readsAtOnce: 1,
      write: log.write,
      up: () => true,
      statements: () => 0,
      holder: "h",
      durability: { lostNothing: false, isCopy: false, begin: Effect.void },
    },
    projection,
    peers: alone,
    feed: {
      get position() {
        return projection.position
      },
      newestId: WireId(-1),
      get isStuck() {
        return isStuck
      },
      advance,
      // In a later turn, as a read of the database.
      catchUp: () => Effect.andThen(Effect.yieldNow, Effect.sync(catchUp)),
    },
    clock,
    commitTime: () => 0,
    onForeign: () => void told.push("foreign"),
    onLostLog: () => void told.push("lost log"),
    logDefect: (what) => void happened.push(what),
  })

  const judge = (name: string, wish: Wish, rules: number): Judgement<number> => {
    const { changesRules = false, isSecret = false, isPoison = false, key = null } = wish
    const args: TestCall = { name, rules, changesRules: changesRules || isSecret, isPoison, key }
    return call("f", args, changesRules, (outcome) => done(Number(outcome)))
  }
  const held: HeldWriter = {
    log,
    projection,
    happened,
    told,
    submit: async (name, wish = {}) => {
      const command = { judge: ({ rules }: Projection) => judge(name, wish, rules) }
      const ending = endingOf(await Effect.runPromiseExit(writer.submit(command)))
      if (typeof ending === "number" && ending > projection.position)
        log.faults.push(`${name} was answered before it could be read`)
      happened.push(typeof ending === "number" ? `${name} is ${ending}` : `${name} gets ${ending}`)
      return ending
    },
    land: async (fate) => {
      const [next] = log.held
      if (next === undefined) throw new Error("no commit is in flight")
      next.land(fate)
      await turns()
    },
    stuckAt: null,
    catchUp,
    busy: writer.busy,
  }
  return held
}
