/**
 * What a command writes: an ordered list of steps, run by one SQL function (steps.sql) under the log's lock. A step is a
 * row of the log, or a call of a SQL function that writes many rows at once (sends). A row is made only by the maker of
 * its kind (chat/kinds/event-kind.ts), encoded already.
 */
import type { Json } from "../json.ts"
import type { Audience } from "./audience.ts"

/** A row to be written. */
export interface NewRow {
  readonly type: string
  /** As JSON, encoded by the kind's Schema. */
  readonly payload: object
  readonly audience: Audience
  /** How many wire ids belong to it. */
  readonly width: number
  /** Whether other commands are judged by what the row changes. */
  readonly changesRules: boolean
  /** The SQL function that makes the tables follow the row; null where no table holds what the row says. */
  readonly table: string | null
  /** What that function is told beside the payload, because it must not stand in the log; null: nothing. */
  readonly beside: Json
}

/** One SQL function called with many items, (realm, calls): it writes its rows itself. */
export interface NewCalls {
  readonly fn: string
  readonly calls: ReadonlyArray<object>
}

export type Step = NewRow | NewCalls

/** Whether other commands are judged by what a step changes. Sends count as if: whether they do is found by their function. */
export const changesRules = (step: Step): boolean => "fn" in step || step.changesRules

/**
 * What is asked under the lock before anything is written: a SQL function (realm, args) that answers null, or the word
 * for which the whole command is refused.
 */
export interface Guard {
  readonly fn: string
  readonly args: object
}

/** What a chunk of a longer work is in the table of unfinished works; see chat/bulk. */
export interface WorkMark {
  readonly id: string
  /** How many items were done before; null for the first chunk, which stores `kind` and `args`. */
  readonly from: number | null
  /** How many are done after it; null where all are. */
  readonly next: number | null
  readonly kind?: string
  readonly args?: object
}

/** The arguments of run_steps_v1, one command's. */
export interface StepsCall {
  readonly steps: ReadonlyArray<Step>
  readonly guard?: Guard
  readonly work?: WorkMark
}
