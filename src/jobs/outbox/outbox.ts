/**
 * Does what stands in the outbox: claims rows of a kind that are due, hands each to its handler, and ends it, puts it off with
 * growing waits, or gives it up. A claim ends by the clock, so that what a killed process has claimed is done by another, or
 * by the next. An attempt is given up before that, so that nobody else begins meanwhile. Each kind is a woken job
 * (outbox-kind.ts), which sleeps until its next row is due.
 */
import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../../api/errors.ts"
import { storable } from "../../api/shapes.ts"
import { Clock } from "../../clock.ts"
import { Database } from "../../db/database.ts"
import { withoutValues } from "../../redact-values.ts"
import { reasonOf } from "../job-log.ts"
import { Jobs } from "../jobs.ts"
import { pause } from "../waits.ts"
import { GiveUp } from "./outbox-entry.ts"
import {
  beginAttempt,
  type ClaimedRow,
  type ClaimShares,
  claimRows,
  endRow,
  findDueKinds,
  freeClaims,
  giveUp,
  putOff,
  release,
  renew,
} from "./outbox-store.ts"

/** Rows of one lane that are claimed together: they are done one after the other without a claim for each. */
const rowsOfLane = 50
/** Claims in one run, where owners take turns. */
const mostClaims = 8
/** Milliseconds until the next look where rows are due and others have claimed them. */
const othersMilliseconds = 1000
const longestError = 1000
/** A reason may quote what a stranger has sent; a row whose reason could not be kept would be tried for ever. */
const keptReason = (reason: string): string => storable(reason.slice(0, longestError))
/** Milliseconds that the end of the server waits until the rows of a lane are given back, by the machine's time. */
const releaseMilliseconds = 1000

/** The name of the job that does a kind. */
export const outboxJobName = (kind: string): string => `outbox: ${kind}`

export interface OutboxHandling<R> {
  readonly name: string
  /** Most lanes that are worked on at a time. */
  readonly concurrency: number
  /** Whether that is for all processes together. */
  readonly isOverall: boolean
  /** What each owner of lanes may have of that at a time; null: lanes have no owners. */
  readonly shares: ClaimShares | null
  /** The longest attempt. */
  readonly patienceMilliseconds: number
  /** How long a claim is, which its attempt renews; null: twice the longest attempt, and it is not renewed. */
  readonly renewsMilliseconds: number | null
  readonly mostAttempts: number
  /** Milliseconds after it was due in which a row is still tried; null: as often as may be. */
  readonly deadlineMilliseconds: number | null
  readonly backOff: { readonly firstMilliseconds: number; readonly longestMilliseconds: number }
  /** Whether `run` ends its row itself (see outbox-entry.ts). */
  readonly endsItself: boolean
  readonly run: (row: TriedRow) => Effect.Effect<void, unknown, R>
  /** What the log says of a row beside its number; empty: nothing. */
  readonly title: (row: ClaimedRow) => string
  /** Called when a row was given up; `refusal`: why, where its handler has said that no attempt can help. */
  readonly whenGivenUp: (row: ClaimedRow, refusal: string | null) => Effect.Effect<void, unknown, R>
}

/** A row in an attempt, which its `attempts` count, too. */
type TriedRow = ClaimedRow

/** Counts of a kind's rows since the server started. */
export interface OutboxReport {
  readonly kind: string
  readonly done: number
  readonly failedAttempts: number
  readonly givenUp: number
  /** Lanes that are worked on now. */
  readonly underWay: number
}

type OutboxCounts = { -readonly [Key in keyof OutboxReport]: OutboxReport[Key] }

/** Rows of the same lane together, in their order. */
const byLane = (rows: ReadonlyArray<ClaimedRow>): ReadonlyArray<ReadonlyArray<ClaimedRow>> => {
  const lanes = new Map<string, Array<ClaimedRow>>()
  for (const row of rows) {
    const key = row.lane === null ? `row ${row.id}` : `lane ${row.realm} ${row.lane}`
    const lane = lanes.get(key) ?? []
    lane.push(row)
    lanes.set(key, lane)
  }
  return [...lanes.values()]
}

const make = Effect.gen(function* () {
  const clock = yield* Clock
  const database = yield* Database
  const jobs = yield* Jobs
  const { cluster } = database
  const counts = new Map<string, OutboxCounts>()
  const newClaim = () => (cluster === undefined ? randomUUID() : `${cluster.process}:${randomUUID()}`)

  const countsOf = (kind: string): OutboxCounts => {
    const known = counts.get(kind) ?? { kind, done: 0, failedAttempts: 0, givenUp: 0, underWay: 0 }
    counts.set(kind, known)
    return known
  }

  const within = <A, E, R>(milliseconds: number, work: Effect.Effect<A, E, R>) =>
    Effect.raceFirst(
      work,
      Effect.callback<never, Unavailable>((resume) => {
        const reason = `it took longer than ${milliseconds} ms`
        const timer = clock.after(milliseconds, () => resume(Effect.fail(new Unavailable({ reason }))))
        return Effect.sync(() => timer.cancel())
      }),
    )

  /**
   * Renews the claim of a row as long as its attempt goes on. Fails where another has it by now. A row that is gone was ended by
   * the attempt itself, in its commit: it is waited for until it has heard of that.
   */
  const holding = Effect.fnUntraced(function* (row: ClaimedRow, each: number) {
    for (;;) {
      yield* pause(clock, each / 3)
      // A database that does not answer for a moment: the claim may end, and then the attempt ends nothing.
      const held = yield* Effect.orElseSucceed(renew(database, row, clock.now() + each), () => "held")
      if (held === "gone") return yield* Effect.never
      if (held === "another's") return yield* new Unavailable({ reason: "another has claimed it meanwhile" })
    }
  })

  const runHolding = <R>({ run, renewsMilliseconds }: OutboxHandling<R>, row: TriedRow) =>
    renewsMilliseconds === null ? run(row) : Effect.raceFirst(run(row), holding(row, renewsMilliseconds))

  const abandon = Effect.fnUntraced(function* <R>(
    handling: OutboxHandling<R>,
    row: ClaimedRow,
    reason: string,
    refusal: string | null = null,
  ) {
    yield* giveUp(database, row, clock.now(), keptReason(reason))
    countsOf(handling.name).givenUp += 1
    const { id, realm, attempts } = row
    const title = handling.title(row)
    const what = `${handling.name} ${id}${title === "" ? "" : ` (${title})`}`
    yield* Effect.logError(
      `the outbox gave up ${what} of realm ${realm} after ${attempts} attempts: ${withoutValues(reason)}`,
    )
    yield* Effect.catchCause(handling.whenGivenUp(row, refusal), (cause) =>
      Effect.logError(`nobody could be told that the outbox gave up ${what}`, cause),
    )
  })

  /** Whether a row may be tried at a time. */
  const isInTime = <R>(
    { deadlineMilliseconds }: OutboxHandling<R>,
    { addedAt, dueAt }: ClaimedRow,
    at: number,
  ): boolean => deadlineMilliseconds === null || at <= Math.max(addedAt, dueAt) + deadlineMilliseconds

  /** Answers when a row that failed is tried again; null where it is not. */
  const nextAttempt = <R>(handling: OutboxHandling<R>, row: TriedRow): number | null => {
    const { backOff, mostAttempts } = handling
    const wait = Math.min(backOff.firstMilliseconds * 2 ** (row.attempts - 1), backOff.longestMilliseconds)
    const next = clock.now() + wait
    return row.attempts >= mostAttempts || !isInTime(handling, row, next) ? null : next
  }

  /** Why a claimed row is not tried at all; null where it is. */
  const pointless = <R>(handling: OutboxHandling<R>, row: ClaimedRow): string | null => {
    if (row.attempts >= handling.mostAttempts) return "its last attempt came to no end"
    return isInTime(handling, row, clock.now()) ? null : "its time was over before it was tried"
  }

  /** Answers whether the row is over: done, given up, or another's. */
  const attempt = Effect.fnUntraced(function* <R>(handling: OutboxHandling<R>, claimed: ClaimedRow) {
    const reasonAgainst = pointless(handling, claimed)
    if (reasonAgainst !== null) {
      yield* abandon(handling, claimed, reasonAgainst)
      return true
    }
    const row: TriedRow = { ...claimed, attempts: claimed.attempts + 1 }
    if (!(yield* beginAttempt(database, row, row.attempts))) return true
    const exit = yield* Effect.exit(within(handling.patienceMilliseconds, runHolding(handling, row)))
    if (exit._tag === "Success") {
      if (!handling.endsItself) yield* endRow(database, row)
      countsOf(handling.name).done += 1
      return true
    }
    // One that the end of the server has interrupted did not fail. Whatever else interrupts it would do so again at once.
    if (Cause.hasInterruptsOnly(exit.cause) && jobs.isEnding()) return yield* Effect.interrupt
    countsOf(handling.name).failedAttempts += 1
    // Whole: of a text that is cut the log could not tell what it quotes.
    const reason = reasonOf(exit.cause)
    if (Cause.hasDies(exit.cause)) yield* Effect.logError(`the outbox failed at ${handling.name} ${row.id}`, exit.cause)
    const failure = Cause.squash(exit.cause)
    const refusal = failure instanceof GiveUp ? failure.reason : null
    const next = refusal === null ? nextAttempt(handling, row) : null
    if (next === null) yield* abandon(handling, row, reason, refusal)
    else yield* putOff(database, row, next, keptReason(reason))
    return next === null
  })

  /** One after the other; those behind one that is tried again wait for it. */
  const workOnLane = Effect.fnUntraced(function* <R>(
    handling: OutboxHandling<R>,
    rows: ReadonlyArray<ClaimedRow>,
    until: number,
  ) {
    const left = [...rows]
    /** What an attempt needs of a claim that it does not renew. */
    const claimed = handling.renewsMilliseconds === null ? handling.patienceMilliseconds : 0
    const lane = Effect.gen(function* () {
      for (let row = left[0]; row !== undefined; row = left[0]) {
        if (jobs.isEnding() || clock.now() > until - claimed) break
        const isOver = yield* attempt(handling, row)
        left.shift()
        if (!isOver) break
      }
    })
    // A database that does not answer must not hold up the end of the server; then the claims end by themselves.
    const giveBack = Effect.suspend(() => release(database, left, clock.now()))
    const giveBackSoon = Effect.timeoutOption(Effect.interruptible(giveBack), releaseMilliseconds)
    yield* Effect.onInterrupt(lane, () => Effect.ignore(giveBackSoon))
    yield* giveBack
  })

  const work = Effect.fnUntraced(function* <R>(
    handling: OutboxHandling<R>,
  ): Effect.fn.Return<number | null, Unavailable, R> {
    const count = countsOf(handling.name)
    const lanes = handling.concurrency - count.underWay
    // The end of a lane wakes the job.
    if (lanes <= 0) return null
    const now = clock.now()
    const until = now + (handling.renewsMilliseconds ?? 2 * handling.patienceMilliseconds)
    const { name: kind, shares } = handling
    const mostOverall = cluster !== undefined && handling.isOverall ? handling.concurrency : null
    const beside = yield* jobs.inBackground<R>(outboxJobName(handling.name), "awaited")
    let free = lanes
    for (let claims = 1; ; claims++) {
      const claim = { kind, now, until, name: newClaim(), lanes: free, rowsOfLane, shares, mostOverall }
      const { rows, next } = yield* claimRows(database, claim)
      // What is begun beside would not be any more.
      if (jobs.isEnding()) return yield* Effect.as(release(database, rows, clock.now()), null)
      const claimed = byLane(rows)
      for (const lane of claimed) {
        count.underWay += 1
        const end = Effect.sync(() => {
          count.underWay -= 1
          jobs.wake({ name: outboxJobName(handling.name) })
        })
        beside(Effect.ensuring(workOnLane(handling, lane, until), end))
      }
      free -= claimed.length
      if (next === null || free <= 0) return null
      // A claim looks at some rows only, which may all be of owners who have by it what they may: the next passes these over.
      const maySeeOthers = shares !== null && claimed.length > 0 && next <= now && claims < mostClaims
      if (!maySeeOthers) return next > now ? Math.max(next - clock.now(), 1) : othersMilliseconds
    }
  })

  return Outbox.of({
    work,
    freeClaims: Effect.suspend(() => freeClaims(database, clock.now())),
    dueKinds: Effect.suspend(() => findDueKinds(database, [...counts.keys()], clock.now())),
    report: () => [...counts.values()].map((count) => ({ ...count })),
  })
})

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Claims and begins what is due; answers after how many milliseconds to look again, null: when it is woken. */
    readonly work: <R>(handling: OutboxHandling<R>) => Effect.Effect<number | null, Unavailable, R>
    /** For several processes: claims of those that have ended are free from here on. */
    readonly freeClaims: Effect.Effect<unknown, Unavailable>
    /** The names of kinds of which something is due, whoever has added it. */
    readonly dueKinds: Effect.Effect<ReadonlyArray<string>, Unavailable>
    readonly report: () => ReadonlyArray<OutboxReport>
  }
>()("parley/Outbox") {
  static readonly layer = Layer.effect(Outbox, make)
}
