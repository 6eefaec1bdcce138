/**
 * The common part of both drivers: a `StatementChannel` takes statements and settles each exactly once with an `StatementOutcome`, and
 * `serveChannel` turns outcomes into the contract of database.ts. A driver never throws at its caller and never
 * leaves a statement unsettled.
 */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Unavailable } from "../api/errors.ts"
import { abortableWork } from "./abortable-work.ts"
import {
  type Database,
  type DatabaseShape,
  type Durability,
  OutcomeUncertain,
  type Parameter,
  type Row,
  type StatementPlan,
  StatementRejected,
} from "./database.ts"
import { oneLine } from "./one-line.ts"

export type StatementOutcome =
  | { readonly kind: "rows"; readonly rows: ReadonlyArray<Row> }
  /** The database refused the statement, which has changed nothing. */
  | { readonly kind: "refused"; readonly code: string; readonly reason: string }
  /** Certainly not done: never sent, or undone by the database for a passing reason. */
  | { readonly kind: "not-done"; readonly reason: string; readonly code?: string }
  | { readonly kind: "unknown"; readonly reason: string; readonly code?: string | undefined }

/**
 * Undone for a reason that passes, so worth another try: transaction rollback (40: deadlocks), insufficient resources
 * (53: disk, memory), lock not available (55P03), cancelled or timed out (57014), a standby (25006), system errors
 * (58).
 */
const passing = /^(40...|53...|55P03|57014|25006|58...)$/

/** The outcome of a statement that PostgreSQL refused with this SQLSTATE. */
export const refusal = (code: string, reason: string): StatementOutcome =>
  passing.test(code) ? { kind: "not-done", reason, code } : { kind: "refused", code, reason }

export interface SqlStatement {
  readonly sql: string
  /** In PostgreSQL's text form. Drivers pass them on as they are, so that both read them alike. */
  readonly parameters: ReadonlyArray<string | null>
  /** Several statements in one transaction, without parameters or rows. Start-up only. */
  readonly script: boolean
  /** For a user's read: on connections of its own, and behind all other statements. */
  readonly yields: boolean
  readonly plan: StatementPlan
  readonly settle: (outcome: StatementOutcome) => void
  /** The caller was interrupted: the statement is not sent if it has not been sent yet. */
  abandoned: boolean
}

export interface StatementChannel {
  readonly send: (statement: SqlStatement) => void
  readonly up: () => boolean
  /** See `snapshot` of database.ts; absent: there is only what is read now. */
  readonly snapshot?: DatabaseShape["snapshot"]
  /** See `replaced` of database.ts. */
  readonly replaced?: Promise<string>
  /** See `copy` of database.ts. */
  readonly copy?: (folder: string, signal: AbortSignal) => Promise<void>
}

export interface ScriptsShape {
  /** Runs several statements as one transaction. May take minutes. */
  readonly run: (sql: string) => Effect.Effect<void, Unavailable | OutcomeUncertain | StatementRejected>
}

/** For migrations only: every other statement goes through `Database`. */
export class Scripts extends Context.Service<Scripts, ScriptsShape>()("parley/db/Scripts") {}

/** For callbacks outside of Effect: a function that writes a warning to the current logger. */
export const plainLog = Effect.map(
  Effect.context<never>(),
  (context) =>
    (text: string): void =>
      void Effect.runForkWith(context)(Effect.logWarning(text)),
)

export const textOf = (parameter: Parameter): string | null => (parameter === null ? null : String(parameter))

export const serveChannel = (
  product: DatabaseShape["kind"],
  channel: StatementChannel,
  readsAtOnce: number,
  durability: Durability = { lostNothing: false, isCopy: false, begin: Effect.void },
) => {
  const { copy, replaced, snapshot = (use) => use(database) } = channel
  let sent = 0

  const run = <A, E>(
    sql: string,
    parameters: ReadonlyArray<Parameter>,
    kind: "statement" | "script" | "read",
    conclude: (outcome: StatementOutcome) => Effect.Effect<A, E>,
    plan: StatementPlan = "custom",
  ): Effect.Effect<A, E> =>
    Effect.callback<A, E>((resume) => {
      const statement: SqlStatement = {
        sql,
        parameters: parameters.map(textOf),
        script: kind === "script",
        yields: kind === "read",
        plan,
        settle: (outcome) => resume(conclude(outcome)),
        abandoned: false,
      }
      sent += 1
      channel.send(statement)
      return Effect.sync(() => {
        statement.abandoned = true
      })
    })

  const database: Database["Service"] = {
    kind: product,
    query: (sql, parameters = [], plan) => run(sql, parameters, "statement", answerQuery, plan),
    read: (sql, parameters = [], plan) => run(sql, parameters, "read", answerQuery, plan),
    write: (sql, parameters = []) => run(sql, parameters, "statement", answerWrite, "kept"),
    snapshot,
    readsAtOnce,
    up: channel.up,
    statements: () => sent,
    holder: randomUUID(),
    durability,
    ...(replaced === undefined ? {} : { replaced: Effect.promise(() => replaced) }),
    ...(copy === undefined ? {} : { copy: (folder: string) => copying(copy, folder) }),
  }
  const scripts: ScriptsShape = { run: (sql) => run(sql, [], "script", answerScript) }
  return { database, scripts }
}

const copying = (copy: NonNullable<StatementChannel["copy"]>, folder: string): Effect.Effect<void, Unavailable> =>
  abortableWork(
    (signal) => copy(folder, signal),
    (error) => new Unavailable({ reason: oneLine(error) }),
  )

export const answerQuery = (outcome: StatementOutcome): Effect.Effect<ReadonlyArray<Row>, Unavailable> => {
  switch (outcome.kind) {
    case "rows":
      return Effect.succeed(outcome.rows)
    case "refused":
      return Effect.die(new StatementRejected({ code: outcome.code, reason: outcome.reason }))
    default:
      return Effect.fail(new Unavailable({ reason: outcome.reason, code: outcome.code }))
  }
}

const answerWrite = (
  outcome: StatementOutcome,
): Effect.Effect<ReadonlyArray<Row>, Unavailable | OutcomeUncertain | StatementRejected> =>
  outcome.kind === "rows" && outcome.rows.length === 0
    ? Effect.fail(new OutcomeUncertain({ reason: "the database answered without a row" }))
    : answerScript(outcome)

const answerScript = (
  outcome: StatementOutcome,
): Effect.Effect<ReadonlyArray<Row>, Unavailable | OutcomeUncertain | StatementRejected> => {
  switch (outcome.kind) {
    case "rows":
      return Effect.succeed(outcome.rows)
    case "refused":
      return Effect.fail(new StatementRejected({ code: outcome.code, reason: outcome.reason }))
    case "not-done":
      return Effect.fail(new Unavailable({ reason: outcome.reason, code: outcome.code }))
    case "unknown":
      return Effect.fail(new OutcomeUncertain({ reason: outcome.reason, code: outcome.code }))
  }
}
