/**
 * What a capability hands to the writer: a command that is judged synchronously on the projection, in the turn in
 * which its batch is formed, and becomes a call of a SQL function, a refusal, or nothing at all.
 */
import type * as Effect from "effect/Effect"
import type { Failure, Unavailable } from "../errors.ts"
import type { Json, JsonObject } from "../json.ts"

/** One call of a capability's SQL function, in the form commit_calls wants it. */
export interface Call {
  readonly fn: string
  readonly args: JsonObject
}

/** What judging a command may come to. */
export type Judgement<A> =
  /** `changesRules`: other commands are judged by what this call may change, so it ends its batch. */
  | { readonly _tag: "Call"; readonly call: Call; readonly changesRules: boolean }
  /** Nothing has to be written: this is the answer. */
  | { readonly _tag: "Done"; readonly answer: A }
  | { readonly _tag: "Refused"; readonly failure: Failure }

export const call = (fn: string, args: JsonObject, changesRules: boolean): Judgement<never> => ({
  _tag: "Call",
  call: { fn, args },
  changesRules,
})
export const done = <A>(answer: A): Judgement<A> => ({ _tag: "Done", answer })
export const refused = (failure: Failure): Judgement<never> => ({ _tag: "Refused", failure })

/** `Realm` is the projection; `A` what the requester learns. */
export interface Command<Realm, A> {
  /** Called again whenever the call has to be made again. Must not wait and must not change anything. */
  readonly judge: (realm: Realm) => Judgement<A>
  /** Reads the SQL function's outcome: a typed answer or a refusal that only the function could find. */
  readonly read: (outcome: Json) => Done<A> | Refused
  /** The answer this command has had before, asked before a refusal is given (I9). */
  readonly recall?: () => Effect.Effect<Done<A> | Refused | null, Unavailable>
}

export type Done<A> = { readonly _tag: "Done"; readonly answer: A }
export type Refused = { readonly _tag: "Refused"; readonly failure: Failure }
