/**
 * Writes of a command: an ordered list of steps, run by one SQL function (steps.sql) under the log's lock. A step is a
 * row of the log, or a call of a SQL function that writes many rows at once (sends). A row is made only by the maker of
 * its kind (chat/ground/kinds/event-kind.ts), encoded already.
 */
import type { Json } from "../json.ts"
import type { Audience } from "./audience.ts"

/** A row to be written. */
export interface NewRow {
  readonly type: string
  /** As JSON, encoded by the kind's Schema. */
  readonly payload: object
  readonly audience: Audience
  /** Number of wire ids that belong to it. */
  readonly width: number
  /** Whether other commands are judged by what the row changes. */
  readonly changesRules: boolean
  /** The SQL function that applies the row to its tables; null for a row that changes no table. */
  readonly table: string | null
  /**
   * The version of the tables (db/sql/migrations.ts) whose programs know such a row; absent: all do that may serve. Found in the
   * text of a call wherever rows stand in it (log-commit.ts), so no other key is called so.
   */
  readonly sinceVersion?: number
  /** Given to that function in addition to the payload, because it must not be written to the log; null: nothing. */
  readonly beside: Json
}

/** One call of a SQL function (realm, calls) with many items, which writes its rows itself. */
export interface NewCalls {
  readonly fn: string
  readonly calls: ReadonlyArray<object>
  /** Its outcomes are wanted for the answer (`Change.answer`); else they are dropped. */
  readonly answers?: true
  /** Nothing that it writes changes the rules that other commands are judged by. */
  readonly keepsRules?: true
}

export type CommandStep = NewRow | NewCalls

/**
 * Many rows that only inform, as one step: one statement appends them. Their positions are not among those that a command
 * answers by. Throws if one of them changes something.
 */
export const tellTogether = (rows: ReadonlyArray<NewRow>): ReadonlyArray<CommandStep> => {
  if (rows.some((row) => row.table !== null || row.changesRules)) throw new Error("a row that changes something")
  return rows.length < 2 ? rows : [{ fn: "tell_rows_v1", calls: rows, keepsRules: true }]
}

/** Whether other commands are judged by what a step changes. Assumed of calls that do not say, as their function may. */
export const changesRules = (step: CommandStep): boolean =>
  "fn" in step ? step.keepsRules !== true : step.changesRules

/**
 * A check under the lock before anything is written: a SQL function (realm, args) that answers null, or the word that
 * names why the whole command is refused.
 */
export interface CommandGuard {
  readonly fn: string
  readonly args: object
}

/** The progress of a bulk command in the table of unfinished works, stored with each chunk. */
export interface WorkMark {
  readonly id: string
  /** Number of items that were done before; null for the first chunk, which stores `kind` and `args`. */
  readonly from: number | null
  /** Number of items that are done after it; null where all are. */
  readonly next: number | null
  readonly kind?: string
  readonly args?: object
  /** In the first chunk, where several processes serve the database: which of them does the others, unless it is killed. */
  readonly claimed_by?: string
  readonly claimed_until?: number
}

/** The arguments of run_steps_v1, one command's. */
export interface StepsCall {
  readonly steps: ReadonlyArray<CommandStep>
  readonly guard?: CommandGuard
  readonly work?: WorkMark
}
