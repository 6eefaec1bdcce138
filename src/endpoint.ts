/**
 * What an endpoint is: a value that names its method, path, access and parameters, and runs one request. `http/routes`
 * lists them all in one table; `http/server` runs them. An endpoint never sees the wire.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Failure } from "./errors.ts"
import type { RealmId, UserId } from "./ids.ts"
import type { JsonObject } from "./json.ts"
import { type Decoded, decodeParams, ignoredNames, type Params } from "./params.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** Who asks. `client` is the name in the User-Agent (contract 1.4), `Unspecified` where there is none. */
export interface Caller {
  readonly realm: RealmId
  readonly user: UserId
  readonly client: string
}

/** A visitor without an account: `realm` is null where no organization is served at `host`. */
export interface Visitor {
  readonly realm: RealmId | null
  readonly client: string
  /** The Host header without its port, in lower case; empty where there is none. */
  readonly host: string
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
}

/**
 * A reply that stays open (a long poll). The first of `send` and `fail` has an effect; after `onClose` has been
 * called neither has any.
 */
export interface HeldReply {
  /** Answers 200 with this whole JSON body. */
  readonly send: (body: Uint8Array) => void
  /** Answers with this failure, as an endpoint that failed with it would have. */
  readonly fail: (failure: Failure) => void
  /** Called once if the client goes away before the answer. */
  readonly onClose: (task: () => void) => void
}

export type Reply =
  /** The envelope and `ignored_parameters_unsupported` are added to it. */
  | { readonly _tag: "Data"; readonly data: JsonObject }
  /** The answer comes later, from plain code. */
  | { readonly _tag: "Held"; readonly hold: (reply: HeldReply) => void }

export const data = (fields: JsonObject = {}): Reply => ({ _tag: "Data", data: fields })
export const held = (hold: (reply: HeldReply) => void): Reply => ({ _tag: "Held", hold })

/** A request that has been matched, authenticated and read. */
export interface RequestInput<Who> {
  readonly who: Who
  /** Decoded path parameters join the others under their names. */
  readonly source: ReadonlyMap<string, string>
  readonly pathNames: ReadonlySet<string>
}

export interface Handled {
  readonly reply: Reply
  readonly ignored: ReadonlyArray<string>
}

interface RouteOf<Access extends string, Who, R> {
  readonly access: Access
  readonly method: Method
  /** Path below /api/v1. `{name}` stands for a segment, `{name:int}` for one of digits only. */
  readonly path: string
  /** One sentence for the reader of the API documentation. */
  readonly summary: string
  readonly params: Params
  readonly handle: (input: RequestInput<Who>) => Effect.Effect<Handled, Failure, R>
  /**
   * Made once per server: answers what it can at once, as plain code; undefined sends the request the usual way. For
   * the one or two routes that most requests ask for: a fiber costs more than such an answer.
   */
  readonly quick?: Effect.Effect<(input: RequestInput<Who>) => Reply | undefined, never, R>
}

/** `user`: needs an account. `anyone`: needs none. */
export type Route<R> = RouteOf<"user", Caller, R> | RouteOf<"anyone", Visitor, R>

interface Definition<P extends Params, Who, R> {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly params: P
  readonly run: (who: Who, params: Decoded<P>) => Effect.Effect<Reply, Failure, R>
  readonly quick?: Effect.Effect<(who: Who, params: Decoded<P>) => Reply | undefined, never, R>
}

const handler =
  <P extends Params, Who, R>(definition: Definition<P, Who, R>) =>
  (input: RequestInput<Who>): Effect.Effect<Handled, Failure, R> => {
    const decoded = decodeParams(definition.params, input.source)
    if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
    const ignored = ignoredNames(definition.params, input.source).filter((name) => !input.pathNames.has(name))
    return Effect.map(definition.run(input.who, decoded.success), (reply) => ({ reply, ignored }))
  }

const routeOf = <P extends Params, Who, R>(definition: Definition<P, Who, R>) => {
  const { quick, ...rest } = definition
  const route = { ...rest, handle: handler(definition) }
  if (quick === undefined) return route
  const atOnce = Effect.map(quick, (answer) => ({ who, source }: RequestInput<Who>) => {
    const decoded = decodeParams(definition.params, source)
    // Bad parameters are told about the usual way.
    return Result.isFailure(decoded) ? undefined : answer(who, decoded.success)
  })
  return { ...route, quick: atOnce }
}

/** An endpoint for signed-in users and bots. */
export const userEndpoint = <const P extends Params, R>(definition: Definition<P, Caller, R>): Route<R> => ({
  ...routeOf(definition),
  access: "user",
})

/** An endpoint that needs no account. */
export const openEndpoint = <const P extends Params, R>(definition: Definition<P, Visitor, R>): Route<R> => ({
  ...routeOf(definition),
  access: "anyone",
})
