/**
 * An endpoint is a value that names its method, path, access and parameters, describes its answers, and handles one
 * request. Features bring them (chat/features.ts); `http/server` runs them. An endpoint never sees the wire. The
 * descriptions of answers serve tests and documentation: answers are not checked while the server runs.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { RealmId, UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import type { JsonPieces } from "../json-pieces.ts"
import type { ErrorCode, RequestFailure } from "./errors.ts"
import { type Decoded, decodeParams, hasIgnoredNames, ignoredNames, type ParamSet } from "./params.ts"
import type { SentFile, SentRequest, SentUpload } from "./sent-request.ts"
import type { WebhookBody } from "./webhook-body.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** The requester. `client` is the name in the User-Agent, `Unspecified` where there is none. */
export interface Caller {
  readonly realm: RealmId
  readonly user: UserId
  /** Version of the API key that the request was signed with: commands are refused once a newer key exists. */
  readonly keyVersion: number
  readonly client: string
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
}

/** A visitor without an account: `realm` is null where no organization is served at `host`. */
export interface Visitor {
  readonly realm: RealmId | null
  readonly client: string
  /** The Host header without its port, in lower case; empty where there is none. */
  readonly host: string
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
  /** The client's address for rate limits: a whole IPv4 address, the first half of an IPv6 address. */
  readonly address: string
}

/** An account or, where none is known, an address. */
export type Requester = Pick<Caller, "realm" | "user"> | Pick<Visitor, "address">

/** The requester's name, in the log and where the turns of readers are counted. */
export const requesterName = (who: Requester): string =>
  "user" in who ? `user ${who.user} of realm ${who.realm}` : who.address

/** Visitors have lines and shares of their own in what is scarce, so that they take it from no user. */
export const requesterKind = (who: Caller | Visitor): "visitor" | undefined => ("user" in who ? undefined : "visitor")

/**
 * A reply that stays open (a long poll). The first of `send` and `fail` has an effect; after `onClose` has been
 * called neither has any.
 */
export interface HeldReply {
  /** Answers 200 with this whole JSON body. */
  readonly send: (body: Uint8Array) => void
  /** Answers with this failure, as an endpoint that failed with it would have. */
  readonly fail: (failure: RequestFailure) => void
  /** Called once if the client goes away before the answer. */
  readonly onClose: (task: () => void) => void
}

/** A member of an answer's JSON object, `"name":value`, as text or in pieces; or some, joined by commas. */
export type ReplyMember = string | JsonPieces

/** Memory that is kept for a large answer (large-answers.ts), from before it is made until it has left. */
export interface Reservation {
  /** Says how to cut the answer's connection, where its time is over. */
  readonly onCut: (cut: () => void) => void
  /** Gives the memory back; calls after the first have no effect. */
  readonly leave: () => void
}

export type EndpointReply =
  /** The fields of a success; the envelope and `ignored_parameters_unsupported` are added. */
  | { readonly _tag: "Data"; readonly data: JsonObject }
  /** The same from members that are JSON already; `reservation` ends when the answer has left. */
  | { readonly _tag: "Text"; readonly members: ReadonlyArray<ReplyMember>; readonly reservation: Reservation | null }
  /** The answer comes later, from plain code. */
  | { readonly _tag: "Held"; readonly hold: (reply: HeldReply) => void }

export const dataReply = (fields: JsonObject = {}): EndpointReply => ({ _tag: "Data", data: fields })
export const heldReply = (hold: (reply: HeldReply) => void): EndpointReply => ({ _tag: "Held", hold })

/** The shape of values on the wire. It is exact: a key that it does not name is an error. */
export type WireSchema = Schema.ConstraintDecoder<unknown>

/** The keys of an object, each with the shape of its value. */
export type WireKeys = Readonly<Record<string, WireSchema>>

/** A success without fields. The check is needed because a Struct without fields accepts any object. */
export const noFields = Schema.Struct({}).check(
  Schema.makeFilter((fields) => Object.keys(fields).length === 0, { expected: "no further fields" }),
)

/** A request that has been matched, authenticated and read. */
export interface RequestInput<Who> {
  readonly who: Who
  /** Decoded path parameters join the others under their names. */
  readonly source: ReadonlyMap<string, string>
  readonly pathNames: ReadonlySet<string>
  /** The files of its body, where the route takes files. */
  readonly files?: ReadonlyArray<SentFile>
  /** Its body, where the route takes an upload and there is a body. */
  readonly upload?: SentUpload
  /** Its body, where the route takes what other services say. */
  readonly webhook?: WebhookBody
}

export interface HandledRequest {
  readonly reply: EndpointReply
  readonly ignored: ReadonlyArray<string>
}

/**
 * `poll`: a client asks again as soon as it is answered. `signIn`: handing out keys must go on at an address whose
 * visitors have used up their requests.
 */
export type LimitClass = "poll" | "signIn"

/**
 * When a request needs all that was committed before it by other processes that serve the same database. `before`: always, so
 * for what answers from memory, or takes a body that can be read only once. `onRefusal`: where it ends in a refusal before it has
 * submitted anything; then it is run once more, because a commit itself is judged by all that was committed. `none`: never.
 */
export type Fresh = "before" | "onRefusal" | "none"

/** Facts that an endpoint states of itself. */
interface EndpointFacts {
  readonly method: Method
  /** Path below /api/v1. `{name}` stands for a segment, `{name:int}` for one of digits only. */
  readonly path: string
  /** One sentence for the reader of the API documentation. */
  readonly summary: string
  /** The fields of a success beside those that all have: `result`, `msg` and `ignored_parameters_unsupported`. */
  readonly reply: WireSchema
  /** The codes that its own rules refuse with; `errorCodes` has those that it shares with others, too. */
  readonly errors: ReadonlyArray<ErrorCode>
  /** Which allowance a request takes from, where it is not the requester's general one. */
  readonly limit?: LimitClass
  /** All clients ask it at once when they return after an outage: where many requests wait, others go before it. */
  readonly isReturn?: true
  /** Open to bots that only post what another service tells them. */
  readonly forWebhookBots?: true
  /** Its bodies carry an image, and may be as large as one; `optional`: or none. */
  readonly takesImage?: "required" | "optional"
  /**
   * Its body is in another service's own form, its parameters in the address, signed by a bot's `api_key` there, too.
   */
  readonly takesWebhook?: true
  /** The parameters at its end are the parts of a path, in which a client may write `/` as `%2F`. */
  readonly endsInPath?: true
  /** Its body is one file of any size, and is read as it comes, by the endpoint. */
  readonly takesUpload?: true
}

interface RouteOf<Access extends string, Who, R> extends EndpointFacts {
  readonly access: Access
  readonly fresh: Fresh
  readonly params: ParamSet
  readonly handle: (input: RequestInput<Who>) => Effect.Effect<HandledRequest, RequestFailure, R>
  /**
   * Made once per server: answers what it can at once, as plain code; undefined sends the request the usual way, and
   * nothing may have been done then. For the two routes that clients ask for all day: a fiber costs more than such an answer.
   */
  readonly quick?: Effect.Effect<(input: RequestInput<Who>) => EndpointReply | undefined, never, R>
}

/** `user`: needs an account. `anyone`: needs none. `either`: a visitor where no Authorization header is sent. */
export type Route<R> =
  | RouteOf<"user", Caller, R>
  | RouteOf<"anyone", Visitor, R>
  | RouteOf<"either", Caller | Visitor, R>

/** What changes something must say it, because nobody can tell by its method. */
type Freshness =
  | { readonly method: "GET"; readonly fresh?: Fresh }
  | { readonly method: Exclude<Method, "GET">; readonly fresh: Fresh }

interface Handling<P extends ParamSet, Who, R> extends EndpointFacts {
  readonly params: P
  readonly run: (who: Who, sent: SentRequest<P>) => Effect.Effect<EndpointReply, RequestFailure, R>
  readonly quick?: Effect.Effect<(who: Who, params: Decoded<P>) => EndpointReply | undefined, never, NoInfer<R>>
}

type EndpointDefinition<P extends ParamSet, Who, R> = Handling<P, Who, R> & Freshness

/** Of the keys that are ignored within parameters the answer names so many, as they come: there may be thousands. */
const mostInnerKeys = 100

const handler =
  <P extends ParamSet, Who, R>(definition: EndpointDefinition<P, Who, R>) =>
  (input: RequestInput<Who>): Effect.Effect<HandledRequest, RequestFailure, R> => {
    const keys = new Set<string>()
    const note = (key: string): void => {
      if (keys.size < mostInnerKeys) keys.add(key)
    }
    const decoded = decodeParams(definition.params, input.source, note)
    if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
    const { files = [] } = input
    const isRead = (name: string) => input.pathNames.has(name) || files.some((file) => file.name === name)
    const names = ignoredNames(definition.params, input.source).filter((name) => !isRead(name))
    const ignored = keys.size === 0 ? names : [...new Set([...names, ...keys])].sort()
    const { upload, webhook } = input
    const handled = Effect.map(
      definition.run(input.who, { params: decoded.success, files, upload, webhook }),
      (reply) => ({
        reply,
        ignored,
      }),
    )
    return upload === undefined ? handled : Effect.ensuring(handled, upload.discard)
  }

const routeOf = <P extends ParamSet, Who, R>(definition: EndpointDefinition<P, Who, R>) => {
  const { quick, ...rest } = definition
  const route = { ...rest, fresh: definition.fresh ?? "before", handle: handler(definition) }
  if (quick === undefined) return route
  const atOnce = Effect.map(quick, (answer) => ({ who, source }: RequestInput<Who>) => {
    let ignores = false
    const note = () => {
      ignores = true
    }
    const decoded = decodeParams(definition.params, source, note)
    // Bad and ignored parameters are reported by the usual way.
    if (Result.isFailure(decoded) || ignores || hasIgnoredNames(definition.params, source)) return undefined
    return answer(who, decoded.success)
  })
  return { ...route, quick: atOnce }
}

/** An endpoint for signed-in users and bots. */
export const userEndpoint = <const P extends ParamSet, R>(definition: EndpointDefinition<P, Caller, R>): Route<R> => ({
  ...routeOf(definition),
  access: "user",
})

/** An endpoint that needs no account. */
export const openEndpoint = <const P extends ParamSet, R>(definition: EndpointDefinition<P, Visitor, R>): Route<R> => ({
  ...routeOf(definition),
  access: "anyone",
})

/** An endpoint for accounts, and for visitors as far as the organization admits them: `"user" in who` tells. */
export const eitherEndpoint = <const P extends ParamSet, R>(
  definition: EndpointDefinition<P, Caller | Visitor, R>,
): Route<R> => ({
  ...routeOf(definition),
  access: "either",
})
