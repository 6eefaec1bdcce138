/**
 * What a capability hands to the writer: a command that is judged synchronously on the projection, in the turn in
 * which its batch is formed, and becomes a call of a SQL function, a refusal, or nothing at all.
 */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Failure, Unavailable } from "../errors.ts"
import { Position } from "../ids.ts"
import type { Json } from "../json.ts"
import { changesRules, type Guard, type Step, type StepsCall, type WorkMark } from "./step.ts"

/** One call of a capability's SQL function, in the form commit_calls wants it. */
export interface Call {
  readonly fn: string
  readonly args: object
}

/** Reads a SQL function's outcome: the answer, or a refusal that only the function could find. */
export type Reading<A> = (outcome: Json) => Done<A> | Refused

/** The answer was clear when the call was made; the outcome adds nothing. */
export const answering =
  <A>(answer: A): Reading<A> =>
  () => ({ _tag: "Done", answer })

export interface Calling<A = unknown> {
  readonly _tag: "Call"
  readonly call: Call
  /** Other commands are judged by what this call may change, so it ends its batch. */
  readonly changesRules: boolean
  readonly read: Reading<A>
}

/** What judging a command may come to. `Done`: nothing has to be written, this is the answer. */
export type Judgement<A> = Calling<A> | Done<A> | Refused

export type Done<A> = { readonly _tag: "Done"; readonly answer: A }
export type Refused = { readonly _tag: "Refused"; readonly failure: Failure }

/** A call of a function of its own: for sets, and for what must look first. All other commands are a `change`. */
export const call = <A>(fn: string, args: object, rules: boolean, read: Reading<A>): Calling<A> => ({
  _tag: "Call",
  call: { fn, args },
  changesRules: rules,
  read,
})

/** What a command of steps answers, and how the words are told for which it may be refused under the lock. */
export interface Change<A> {
  /** By the positions of the rows among the steps, in order. */
  readonly answer: (positions: ReadonlyArray<Position>) => A
  /** By the word with which the first row's table function, or the guard, refuses. A word without an answer is a bug. */
  readonly refused?: Readonly<Record<string, Done<A> | Refused>>
  readonly guard?: Guard
  /** Where the steps are a chunk of a longer work. */
  readonly work?: WorkMark
}

const readPositions = (outcome: Json): ReadonlyArray<Position> => {
  const positions = Predicate.isObject(outcome) ? outcome["positions"] : undefined
  if (!Array.isArray(positions)) throw new Error(`steps ended in ${JSON.stringify(outcome)}`)
  return positions.map((position) => Position(Number(position)))
}

const readSteps =
  <A>({ answer, refused: words = {} }: Change<A>): Reading<A> =>
  (outcome) => {
    const word = Predicate.isObject(outcome) ? outcome["refused"] : undefined
    const known = Predicate.isString(word) ? words[word] : undefined
    return known ?? { _tag: "Done", answer: answer(readPositions(outcome)) }
  }

/** Rows to be written and sends to be made, in this order, all or none. Answers nothing where it is not said what. */
export function change(steps: ReadonlyArray<Step>): Calling<void>
export function change<A>(steps: ReadonlyArray<Step>, change: Change<A>): Calling<A>
export function change<A>(steps: ReadonlyArray<Step>, given?: Change<A>): Calling<A> | Calling<void> {
  const args: StepsCall = {
    steps,
    ...(given?.guard === undefined ? {} : { guard: given.guard }),
    ...(given?.work === undefined ? {} : { work: given.work }),
  }
  const rules = steps.some(changesRules)
  // Read where nothing is answered, too: a refusal that was not reckoned with must not look like success.
  return given === undefined
    ? call("run_steps_v1", args, rules, readSteps<void>({ answer: () => undefined }))
    : call("run_steps_v1", args, rules, readSteps(given))
}

export const done = <A>(answer: A): Done<A> => ({ _tag: "Done", answer })
export const refused = (failure: Failure): Refused => ({ _tag: "Refused", failure })

/** The refusal of the rules as the answer; where they refuse nothing, what `then` makes of what they found. */
export const judged = <B, J extends { readonly _tag: string }>(
  rules: Result.Result<B, Failure>,
  then: (found: B) => J,
): J | Refused => (Result.isFailure(rules) ? refused(rules.failure) : then(rules.success))

/** `Realm` is the projection; `A` what the requester learns. */
export interface Command<Realm, A> {
  /** Called again whenever the call has to be made again. Must not wait and must not change anything. */
  readonly judge: (realm: Realm) => Judgement<A>
  /** The answer this command has had before, asked before a refusal is given (I9). */
  readonly recall?: () => Effect.Effect<Done<A> | Refused | null, Unavailable>
}
