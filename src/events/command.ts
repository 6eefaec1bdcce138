/**
 * What a capability hands to the writer: a command that is judged synchronously on the projection, in the turn in
 * which its batch is formed, and becomes a call of a SQL function, a refusal, or nothing at all.
 */
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Failure, Unavailable } from "../errors.ts"
import type { Json, JsonObject } from "../json.ts"

/** One call of a capability's SQL function, in the form commit_calls wants it. */
export interface Call {
  readonly fn: string
  readonly args: JsonObject
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

export function call(fn: string, args: JsonObject, changesRules: boolean): Judgement<void>
export function call<A>(fn: string, args: JsonObject, changesRules: boolean, read: Reading<A>): Judgement<A>
export function call<A>(
  fn: string,
  args: JsonObject,
  changesRules: boolean,
  read?: Reading<A>,
): Judgement<A> | Judgement<void> {
  const common = { _tag: "Call", call: { fn, args }, changesRules } as const
  return read === undefined ? { ...common, read: answering(undefined) } : { ...common, read }
}
export const done = <A>(answer: A): Done<A> => ({ _tag: "Done", answer })
export const refused = (failure: Failure): Refused => ({ _tag: "Refused", failure })

/** What rules come to: the first that refuses is the answer, else `then` judges on. */
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
