/**
 * The interface of both databases: PGlite in a worker thread, and PostgreSQL through postgres.js. Every write is
 * one statement, so no transaction stays open between two messages. Parameters are scalars; lists travel as
 * JSON text (`$1::text::jsonb`). int8 comes back as a number.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Unavailable } from "../api/errors.ts"
import type { Cluster } from "./cluster.ts"

export type Parameter = string | number | boolean | null
export type Row = Readonly<Record<string, unknown>>

/**
 * How the database plans a statement. `custom`: for the values of its parameters. `generic`: once for all values, which the
 * embedded database then need not do each time; for a fixed text whose plan must not depend on them, so none with a
 * limit that is a parameter, or with a condition that is left out where a parameter is null. `kept`: as the database
 * likes, of a statement that comes all the time, so that it need not read its text each time.
 */
export type StatementPlan = "custom" | "generic" | "kept"

/** The statement was sent and no answer came: it may have committed, now or later. */
export class OutcomeUncertain extends Data.TaggedError("Uncertain")<{
  readonly reason: string
  /** The SQLSTATE with which the database ended, where it told one. */
  readonly code?: string | undefined
}> {}

/** PostgreSQL refused the statement, which has changed nothing. `code` is the SQLSTATE. */
export class StatementRejected extends Data.TaggedError("Rejected")<{
  readonly code: string
  readonly reason: string
}> {}

/** Whether a power cut can take what the embedded database has answered. PostgreSQL sees to that itself: all is false. */
export interface Durability {
  /** None can have taken anything that was answered before this opening. */
  readonly lostNothing: boolean
  /** The files are others than those that were last opened: a copy, or a backup that was restored. */
  readonly isCopy: boolean
  /** With sync: notes that from here on none can take anything. Called once `lostNothing` has been acted upon. */
  readonly begin: Effect.Effect<void>
}

/** Reads of one moment: what others write meanwhile is not in them. */
export type Snapshot = Pick<DatabaseShape, "query">

export interface DatabaseShape {
  readonly kind: "pglite" | "postgres"
  /**
   * Short reads that the server needs itself, and writes that may be done twice. A lost connection is `Unavailable`; a
   * refused statement is a defect of the program and dies.
   */
  readonly query: (
    sql: string,
    parameters?: ReadonlyArray<Parameter>,
    plan?: StatementPlan,
  ) => Effect.Effect<ReadonlyArray<Row>, Unavailable>
  /**
   * A statement of a read that a user has asked for (reads.ts): it has connections of its own, and never stands before a
   * write. It should take 20 ms at most, because the embedded database cannot stop it. What takes seconds all the same
   * is cancelled by PostgreSQL: `Unavailable`.
   */
  readonly read: (
    sql: string,
    parameters?: ReadonlyArray<Parameter>,
    plan?: StatementPlan,
  ) => Effect.Effect<ReadonlyArray<Row>, Unavailable>
  /**
   * Runs `use`, whose statements all see the database as it was when the first of them began. On PostgreSQL, where others may
   * write meanwhile; the embedded database has one server, which must know itself that nothing has changed.
   */
  readonly snapshot: <A, E>(use: (snapshot: Snapshot) => Effect.Effect<A, E>) => Effect.Effect<A, E | Unavailable>
  /** Statements of reads that are worth sending at a time. */
  readonly readsAtOnce: number
  /**
   * A write that must not be done twice. `Unavailable` means that it certainly has changed nothing, `OutcomeUncertain`
   * that it may have. An answer of no rows is `OutcomeUncertain` too: every such statement returns at least one.
   */
  readonly write: (
    sql: string,
    parameters?: ReadonlyArray<Parameter>,
  ) => Effect.Effect<ReadonlyArray<Row>, Unavailable | OutcomeUncertain | StatementRejected>
  /** Whether the database is connected: a statement sent now is not refused at once. */
  readonly up: () => boolean
  /** Number of statements that were sent so far, for tests that count them. */
  readonly statements: () => number
  /** This server's name in the lock rows; new for each start. */
  readonly holder: string
  readonly durability: Durability
  /** The processes that serve this database together; absent: this one is alone. */
  readonly cluster?: Cluster
  /**
   * Says why, when the database that was opened has been replaced by another one, or by an earlier state of it: a standby was
   * promoted. It is not used any more then, because what this process knows may never have happened there. Only PostgreSQL.
   */
  readonly replaced?: Effect.Effect<string>
  /**
   * Copies the files of the embedded database into `data-folders`, which is replaced, while all statements go on: what is there
   * then is what a crash at one moment would leave, and opens as that does. PostgreSQL has snapshots and needs none.
   */
  readonly copy?: (folder: string) => Effect.Effect<void, Unavailable>
}

export class Database extends Context.Service<Database, DatabaseShape>()("parley/db/Database") {}
