/**
 * A kind of what is done beside commits, as a value that a feature exports: what its rows carry, and the handler that does one.
 * The commit that wants it adds a row by the step `adding`, or in SQL by `add_outbox_v1`; whoever submitted the commit then
 * calls `wake`. The kind's job is listed with the others of its feature. A mail that is tried for a day:
 *
 *   export const mailKind = outboxKind({
 *     name: "mail", payload: Mail, run: ({ payload }) => deliver(payload), mostAttempts: 40,
 *     backOff: { firstMilliseconds: 30_000, longestMilliseconds: 3600_000 }, deadlineMilliseconds: 24 * 3600_000 })
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Clock } from "../../clock.ts"
import { Database } from "../../db/database.ts"
import type { RealmId } from "../../ids.ts"
import { ClockWatch } from "../clock-watch.ts"
import { periodicOnce, type ServerJob, woken } from "../job.ts"
import { Jobs } from "../jobs.ts"
import { Outbox, type OutboxHandling, outboxJobName } from "./outbox.ts"
import type { OutboxEntry } from "./outbox-entry.ts"
import { type ClaimShares, forgetGivenUp } from "./outbox-store.ts"

/** Milliseconds between two looks for rows that nobody has told of. */
const fallbackMilliseconds = 60_000
/** Milliseconds that rows that were given up stay in the table, for whoever looks into why. */
const givenUpMilliseconds = 30 * 24 * 3600_000

export interface OutboxOptions<A, R, T = never> {
  /** Stored with each row, so it never changes. */
  readonly name: string
  readonly payload: Schema.Codec<A, object>
  /** Ends its row by success. Fails where it is to be tried again, with `GiveUp` where that is pointless. */
  readonly run: (entry: OutboxEntry<A>) => Effect.Effect<void, unknown, R>
  /** What the log says of one that is given up; absent: only the number of its row. */
  readonly title?: (payload: A) => string
  /** Tells whoever waits for it that it was given up; `refusal`: why, where no attempt could help. Not called twice. */
  readonly whenGivenUp?: (realm: RealmId, payload: A, refusal: string | null) => Effect.Effect<void, unknown, T>
  /** `run` ends its row by a commit with `ending`: exactly once. It must succeed only after that. */
  readonly endsItself?: boolean
  readonly concurrency?: number
  /** Several processes have `concurrency` together: for what costs somebody else, or all of them, the same whoever does it. */
  readonly isOverall?: boolean
  /**
   * Lanes have owners, who take turns: so many of an owner, and of an organization, are worked on at a time, and what waits of
   * others goes on meanwhile. Each row has a lane, `<owner>/<rest>`. For what somebody outside can make last.
   */
  readonly shares?: ClaimShares
  /** The longest attempt; twice as long after a kill its row is tried again. */
  readonly patienceMilliseconds?: number
  /**
   * For attempts that may be long: the claim of a row ends after so long, but is renewed while its attempt goes on, so it is
   * tried again as soon after a kill. Only for rows without a lane.
   */
  readonly renewsMilliseconds?: number
  readonly mostAttempts?: number
  /** A row is not tried later than this after it was due. */
  readonly deadlineMilliseconds?: number
  /** The wait after the first failure, doubled after each further one. */
  readonly backOff?: { readonly firstMilliseconds: number; readonly longestMilliseconds: number }
}

export interface OutboxItem<A> {
  readonly payload: A
  /** Milliseconds since the Unix epoch; absent: at once. */
  readonly dueAt?: number
  /** Items of one lane of an organization are done in the order in which they are due; absent: in any. */
  readonly lane?: string
}

export interface OutboxKind<A, R> {
  readonly name: string
  /** The step that adds rows in the commit of a command. */
  readonly adding: (items: ReadonlyArray<OutboxItem<A>>) => {
    readonly fn: string
    readonly calls: ReadonlyArray<object>
    readonly keepsRules: true
  }
  /** The payload as add_outbox_v1 takes it. */
  readonly encode: (payload: A) => object
  readonly job: ServerJob<R | Outbox>
  /** Tells that rows were added: their due times are looked at. */
  readonly wake: Effect.Effect<void, never, Jobs>
}

export const outboxKind = <A, R = never, T = never>(options: OutboxOptions<A, R, T>): OutboxKind<A, R | T> => {
  const { name, payload: schema, run, title, whenGivenUp } = options
  const decode = Schema.decodeUnknownEffect(schema)
  const decodeOption = Schema.decodeUnknownOption(schema)
  const encode = Schema.encodeSync(schema, { onExcessProperty: "error" })
  const handling: OutboxHandling<R | T> = {
    name,
    concurrency: options.concurrency ?? 4,
    isOverall: options.isOverall ?? false,
    shares: options.shares ?? null,
    patienceMilliseconds: options.patienceMilliseconds ?? 30_000,
    renewsMilliseconds: options.renewsMilliseconds ?? null,
    mostAttempts: options.mostAttempts ?? 10,
    deadlineMilliseconds: options.deadlineMilliseconds ?? null,
    backOff: options.backOff ?? { firstMilliseconds: 1000, longestMilliseconds: 10 * 60_000 },
    endsItself: options.endsItself ?? false,
    title: ({ payload }: { readonly payload: unknown }) =>
      title === undefined ? "" : Option.match(decodeOption(payload), { onNone: () => "", onSome: title }),
    whenGivenUp: ({ realm, payload }: Pick<OutboxEntry<unknown>, "realm" | "payload">, refusal: string | null) =>
      whenGivenUp === undefined
        ? Effect.void
        : Effect.flatMap(decode(payload), (decoded) => whenGivenUp(realm, decoded, refusal)),
    run: ({
      id,
      realm,
      payload,
      dueAt,
      attempts,
      claim,
    }: Omit<OutboxEntry<unknown>, "payload"> & { payload: unknown }) =>
      Effect.flatMap(decode(payload), (decoded) => run({ id, realm, payload: decoded, dueAt, attempts, claim })),
  }
  const job = woken({
    name: outboxJobName(name),
    fallbackMilliseconds,
    run: Outbox.use((outbox) => outbox.work(handling)),
  })
  return {
    name,
    encode,
    adding: (items) => ({
      fn: "add_outbox_rows_v1",
      calls: items.map(({ payload, dueAt = null, lane = null }) => ({
        kind: name,
        payload: encode(payload),
        due_at: dueAt,
        lane,
      })),
      keepsRules: true,
    }),
    job,
    wake: Jobs.useSync((jobs) => jobs.wake(job)),
  }
}

export const forgetGivenUpJob = periodicOnce({
  name: "outbox rows that were given up",
  everyMilliseconds: 3600_000,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted()) return
    const before = (yield* Clock).now() - givenUpMilliseconds
    const database = yield* Database
    while ((yield* forgetGivenUp(database, before)) > 0);
  }),
})
