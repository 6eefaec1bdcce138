/**
 * A command, as a capability hands it to the writer. It is judged synchronously on the projection, in the turn
 * in which its batch is formed; the judgement is a call of a SQL function, a refusal, or an answer where nothing has
 * to be written.
 */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { RequestFailure, Unavailable } from "../api/errors.ts"
import { Position } from "../ids.ts"
import type { Json } from "../json.ts"
import { type CommandGuard, type CommandStep, changesRules, type StepsCall, type WorkMark } from "./step.ts"

/** One call of a capability's SQL function, as commit_calls takes it. */
export interface SqlCall {
  readonly fn: string
  readonly args: object
}

/** Turns a SQL function's outcome into the answer, or into a refusal that only the function could find. */
export type OutcomeReader<A> = (outcome: Json) => DoneJudgement<A> | RefusedJudgement

/** An `OutcomeReader` whose answer does not depend on the outcome. */
export const answering =
  <A>(answer: A): OutcomeReader<A> =>
  () => ({ _tag: "Done", answer })

export interface CallJudgement<A = unknown> {
  readonly _tag: "Call"
  readonly call: SqlCall
  /** Whether the call may change the rules that other commands are judged by; if so, it ends its batch. */
  readonly changesRules: boolean
  readonly read: OutcomeReader<A>
}

/** The result of judging a command. `DoneJudgement`: nothing has to be written, this is the answer. */
export type Judgement<A> = CallJudgement<A> | DoneJudgement<A> | RefusedJudgement

export type DoneJudgement<A> = { readonly _tag: "Done"; readonly answer: A }
export type RefusedJudgement = { readonly _tag: "Refused"; readonly failure: RequestFailure }

/** A call of a capability's own SQL function: for sets of rows or reads under the lock. Others use `change`. */
export const call = <A>(fn: string, args: object, rules: boolean, read: OutcomeReader<A>): CallJudgement<A> => ({
  _tag: "Call",
  call: { fn, args },
  changesRules: rules,
  read,
})

/** The answer of a command of steps, and its refusals by the words with which the SQL functions refuse. */
export interface ChangeReader<A> {
  /**
   * The answer, from the positions of the written rows and the outcomes of the calls that answer, both in the order of the
   * steps.
   */
  readonly answer: (positions: ReadonlyArray<Position>, outcomes: ReadonlyArray<Json>) => A
  /** By the word with which the first row's table function, or the guard, refuses. A word without an answer is a bug. */
  readonly refused?: Readonly<Record<string, DoneJudgement<A> | RefusedJudgement>>
  readonly guard?: CommandGuard
  /** Set if the steps are a chunk of a bulk command. */
  readonly work?: WorkMark
}

const readPositions = (outcome: Json): ReadonlyArray<Position> => {
  const positions = Predicate.isObject(outcome) ? outcome["positions"] : undefined
  if (!Array.isArray(positions)) throw new Error(`steps ended in ${JSON.stringify(outcome)}`)
  return positions.map((position) => Position(Number(position)))
}

const readOutcomes = (outcome: Json): ReadonlyArray<Json> => {
  const outcomes = Predicate.isObject(outcome) ? outcome["outcomes"] : undefined
  return Array.isArray(outcomes) ? outcomes : []
}

/**
 * The meaning of a SQL function's word of refusal; undefined where it refused nothing. A word without a meaning is a
 * bug, and must not look like success or like another refusal.
 */
export const readRefusal = <R>(outcome: Json, words: Readonly<Record<string, R>>): R | undefined => {
  const word = Predicate.isObject(outcome) ? outcome["refused"] : undefined
  if (word === undefined) return undefined
  const known = Predicate.isString(word) && Object.hasOwn(words, word) ? words[word] : undefined
  if (known === undefined) throw new Error(`a command ended in ${JSON.stringify(outcome)}`)
  return known
}

const readSteps =
  <A>({ answer, refused: words = {} }: ChangeReader<A>): OutcomeReader<A> =>
  (outcome) =>
    readRefusal(outcome, words) ?? { _tag: "Done", answer: answer(readPositions(outcome), readOutcomes(outcome)) }

/** Writes rows and makes sends, in this order, all or none. Without `change` the command answers nothing. */
export function change(steps: ReadonlyArray<CommandStep>): CallJudgement<void>
export function change<A>(steps: ReadonlyArray<CommandStep>, change: ChangeReader<A>): CallJudgement<A>
export function change<A>(
  steps: ReadonlyArray<CommandStep>,
  given?: ChangeReader<A>,
): CallJudgement<A> | CallJudgement<void> {
  const args: StepsCall = {
    steps,
    ...(given?.guard === undefined ? {} : { guard: given.guard }),
    ...(given?.work === undefined ? {} : { work: given.work }),
  }
  const rules = steps.some(changesRules)
  // The outcome is read even if the answer does not need it: an unexpected refusal must not look like success.
  return given === undefined
    ? call("run_steps_v1", args, rules, readSteps<void>({ answer: () => undefined }))
    : call("run_steps_v1", args, rules, readSteps(given))
}

export const done = <A>(answer: A): DoneJudgement<A> => ({ _tag: "Done", answer })
export const refused = (failure: RequestFailure): RefusedJudgement => ({ _tag: "Refused", failure })

/** The refusal of the rules, or, where they allow the command, the judgement that `then` makes of their result. */
export const judgementOf = <B, J extends { readonly _tag: string }>(
  rules: Result.Result<B, RequestFailure>,
  then: (found: B) => J,
): J | RefusedJudgement => (Result.isFailure(rules) ? refused(rules.failure) : then(rules.success))

/** `Realm` is the projection, `A` the requester's answer. */
export interface Command<Realm, A> {
  /** May be called several times, each time the commit is tried again. Must not wait or change anything. */
  readonly judge: (realm: Realm) => Judgement<A>
  /** Looks up the answer that an earlier try of this command got; called before a refusal is given (I9). */
  readonly recall?: () => Effect.Effect<DoneJudgement<A> | RefusedJudgement | null, Unavailable>
}
