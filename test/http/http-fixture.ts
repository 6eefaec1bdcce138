/**
 * A server over made-up endpoints, for the tests of src/http: what reaches a handler is echoed, and handlers that
 * wait, fail or hold are in the test's hand. Used by the tests of this folder.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import {
  dataReply,
  type EndpointReply,
  eitherEndpoint,
  type HeldReply,
  heldReply,
  openEndpoint,
  type Reservation,
  type Route,
  userEndpoint,
} from "../../src/api/endpoint.ts"
import {
  type ApiError,
  badEventQueue,
  badRequest,
  OutcomeUnknown,
  Unavailable,
  unauthorized,
} from "../../src/api/errors.ts"
import type { MakePage, PlainAnswer } from "../../src/api/pages.ts"
import { integer, optional, text } from "../../src/api/params.ts"
import { type ConfigShape, defaultLimits, type Limits } from "../../src/config/config.ts"
import { type LargeAnswersShape, makeLargeAnswers } from "../../src/fairness/large-answers.ts"
import { makeRefusals } from "../../src/fairness/refusals.ts"
import type { FailureContext } from "../../src/http/entrance/effect-runner.ts"
import type { AttachSocket, SocketHandlers, SocketPeer } from "../../src/http/network/socket-peer.ts"
import { readBasic } from "../../src/http/request/basic-auth.ts"
import type { FoundAccount } from "../../src/http/senders/account-lookup.ts"
import { type RunningServer, startServer } from "../../src/http/server.ts"
import { RealmId, UserId } from "../../src/ids.ts"
import { SecretPiece, SharedPiece } from "../../src/json-pieces.ts"
import { nextSlice } from "../../src/slices.ts"
import { type ManualClock, manualClock } from "../kit/manual-clock.ts"
import { productionConfig } from "../kit/production-config.ts"

export const goodKey = "k".repeat(32)
export const basic = (email: string, key: string): string =>
  `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`
export const hamlet = { Authorization: basic("hamlet@example.org", goodKey) }

export const form = { ...hamlet, "Content-Type": "application/x-www-form-urlencoded" }

/** A multipart body of these parts. */
export const multipart = (boundary: string, parts: ReadonlyArray<readonly [head: string, value: string]>): string =>
  `${parts.map(([head, value]) => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`).join("")}--${boundary}--\r\n`
/** The part of a text field. */
export const field = (name: string, value: string) => [`Content-Disposition: form-data; name="${name}"`, value] as const

/** Polls until `condition` holds; fails after half a minute, which no busy machine takes for one step. */
export const until = async (condition: () => boolean): Promise<void> => {
  const deadline = Date.now() + 30_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not in time: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A socket that was handed over, and what its owner heard. */
export interface Owned {
  readonly peer: SocketPeer
  readonly messages: Array<string>
  /** Bytes that the connection still owed at each drain. */
  readonly drains: Array<number>
  closes: number
}

/** State of the endpoints: what they do and have seen. */
export interface Stage {
  readonly held: Array<HeldReply>
  readonly owned: Array<Owned>
  readonly prepared: Array<string>
  readonly defects: Array<string>
  /** What the log names of the requests in which they were. */
  readonly abouts: Array<FailureContext>
  /** Lets the requests to /gate go on; each has its own entry. */
  readonly gates: Array<() => void>
  gateDone: number
  /** Number of answers of /pieces that have left, and what cuts the newest. */
  left: number
  cut: () => void
  /** Refusals by a limit: its name and who was refused. */
  readonly refusals: Array<string>
  /** Requests to /large so far. */
  large: number
  /** The users of the requests to /busy, as they were begun. */
  readonly begun: Array<number>
  /** Makes the answers of /roomy, which take nearly all room that there is, once the test opens their gate. */
  largeAnswers: LargeAnswersShape | null
}

/** 12 MB: more than the system takes at once. */
const largePieces = Array.from({ length: 24 }, (_, n) => Buffer.from(`"${String(n % 10).repeat(500_000)}",`))
/** 12 MB of two-byte characters. */
export const largeText = "é".repeat(6_000_000)

export const secretKey = "k3y".repeat(20)
const sharedMembers = [
  '"own":1',
  [Buffer.from('"list":['), new SharedPiece(Buffer.from(`"${"shared ".repeat(20_000)}",`)), Buffer.from('""]')],
  [new SecretPiece(Buffer.from(`"keys":["${secretKey}","${secretKey}"]`))],
]

/** A large answer that has room. */
const inPieces = (stage: Stage, onCut: Reservation["onCut"]): Effect.Effect<EndpointReply> =>
  Effect.sync(() => ({
    _tag: "Text",
    members: [[Buffer.from('"list":['), ...largePieces, Buffer.from('""]')], '"end":true'],
    reservation: {
      onCut,
      leave: () => {
        stage.left += 1
      },
    },
  }))

const echoed = (who: object, source: ReadonlyMap<string, string>, pathNames: ReadonlySet<string>) =>
  Effect.succeed({
    reply: dataReply({ ...who, source: Object.fromEntries(source), path: [...pathNames] }),
    ignored: [],
  })

const echo = (method: Route<never>["method"], path: string): Route<never> => ({
  access: "user",
  fresh: "none",
  method,
  path,
  summary: `Echo of ${method} ${path}`,
  params: {},
  reply: Schema.Unknown,
  errors: [],
  handle: ({ who, source, pathNames }) => echoed({ ...who, route: `${method} ${path}` }, source, pathNames),
})

const busy = (stage: Stage, user: number, note: string) =>
  Effect.sync(() => {
    stage.begun.push(user)
    const end = performance.now() + 5
    while (performance.now() < end);
    return dataReply({ note })
  })

const failing = (
  path: string,
  run: () => Effect.Effect<never, ApiError | Unavailable | OutcomeUnknown>,
): Route<never> =>
  userEndpoint({ method: "GET", path, summary: path, params: {}, reply: Schema.Never, errors: [], run })

export const routes = (stage: Stage): ReadonlyArray<Route<never>> => [
  ...(["GET", "POST", "PATCH", "PUT", "DELETE"] as const).map((method) => echo(method, "/echo")),
  echo("POST", "/sends"),
  echo("PATCH", "/sends"),
  echo("GET", "/items/{item_id:int}"),
  echo("DELETE", "/items/{item_id:int}"),
  echo("GET", "/items/{item_id:int}/parts"),
  echo("GET", "/items/{name}"),
  echo("GET", "/items/{name}/owner"),
  { ...echo("GET", "/files/{folder}/{file}"), endsInPath: true },
  echo("PATCH", "/items/special"),
  userEndpoint({
    method: "GET",
    path: "/typed/{id:int}",
    summary: "Typed parameters",
    params: { id: integer("id"), note: optional(text("note")) },
    reply: Schema.Unknown,
    errors: [],
    run: (_, { params: { id, note } }) => Effect.succeed(dataReply({ id, note: note ?? null })),
  }),
  userEndpoint({
    method: "GET",
    path: "/polls",
    limit: "poll",
    summary: "Has an allowance of its own",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => Effect.succeed(dataReply()),
    quick: Effect.succeed(() => heldReply((reply) => reply.send(Buffer.from('{"quick":true}')))),
  }),
  openEndpoint({
    method: "POST",
    fresh: "onRefusal",
    path: "/keys",
    limit: "signIn",
    summary: "Has an allowance of its own for visitors",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => Effect.succeed(dataReply()),
  }),
  userEndpoint({
    method: "POST",
    fresh: "onRefusal",
    path: "/hooks",
    forWebhookBots: true,
    summary: "Open to webhook bots",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => Effect.succeed(dataReply()),
  }),
  eitherEndpoint({
    method: "GET",
    path: "/either",
    summary: "With and without an account",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: (who) => Effect.succeed(dataReply("user" in who ? { user: who.user } : { address: who.address })),
  }),
  openEndpoint({
    method: "GET",
    path: "/written",
    summary: "Made of JSON text",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => Effect.succeed({ _tag: "Text", members: ['"a":[1,2]', '"b":"é"'], reservation: null } as const),
  }),
  openEndpoint({
    method: "GET",
    path: "/pieces",
    summary: "A large answer in pieces",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () =>
      inPieces(stage, (cut) => {
        stage.cut = cut
      }),
  }),
  openEndpoint({
    method: "GET",
    path: "/unsendable",
    summary: "A large answer that throws when it is sent",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () =>
      inPieces(stage, () => {
        throw new Error("secret detail")
      }),
  }),
  openEndpoint({
    method: "GET",
    path: "/roomy",
    summary: "Waits for room, and then for the test",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: ({ client }) =>
      stage.largeAnswers?.answer(
        client,
        0.9 * testConfig().limits.unreadBytes,
        Effect.callback<ReadonlyArray<string>>((resume) => {
          stage.gates.push(() => resume(Effect.succeed([`"client":"${client}"`])))
        }),
      ) ?? Effect.die(new Error("no room")),
  }),
  openEndpoint({
    method: "GET",
    path: "/sized",
    summary: "A text of a length that the client chooses",
    params: { length: integer("length") },
    reply: Schema.Unknown,
    errors: [],
    run: (_, { params: { length } }) => Effect.succeed(dataReply({ text: "x".repeat(length) })),
  }),
  openEndpoint({
    method: "GET",
    path: "/shared",
    summary: "Pieces of every kind",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => Effect.succeed({ _tag: "Text", members: sharedMembers, reservation: null } as const),
  }),
  openEndpoint({
    method: "GET",
    path: "/open",
    summary: "The visitor",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: (visitor) => Effect.succeed(dataReply({ ...visitor })),
  }),
  userEndpoint({
    method: "POST",
    fresh: "onRefusal",
    path: "/gate",
    summary: "Waits for the test",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () =>
      Effect.callback<ReturnType<typeof dataReply>>((resume) => {
        stage.gates.push(() => {
          stage.gateDone += 1
          resume(Effect.succeed(dataReply({ done: true })))
        })
      }),
  }),
  userEndpoint({
    method: "GET",
    path: "/hold",
    summary: "Held open",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => Effect.succeed(heldReply((reply) => stage.held.push(reply))),
  }),
  userEndpoint({
    method: "GET",
    path: "/hold-broken",
    summary: "Throws while it is held",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () =>
      Effect.succeed(
        heldReply(() => {
          throw new Error("secret detail")
        }),
      ),
  }),
  openEndpoint({
    method: "GET",
    path: "/large",
    summary: "More than sockets take at once",
    params: {},
    reply: Schema.Unknown,
    errors: [],
    run: () => {
      stage.large += 1
      return Effect.succeed(dataReply({ text: largeText }))
    },
  }),
  userEndpoint({
    method: "POST",
    fresh: "onRefusal",
    path: "/busy",
    summary: "Takes the whole time in which requests are begun in a turn",
    params: { note: text("note") },
    reply: Schema.Unknown,
    errors: [],
    run: ({ user }, { params: { note } }) => busy(stage, user, note),
  }),
  userEndpoint({
    method: "POST",
    fresh: "onRefusal",
    path: "/told",
    forWebhookBots: true,
    takesWebhook: true,
    summary: "The same for what another service tells",
    params: { note: text("note") },
    reply: Schema.Unknown,
    errors: [],
    run: ({ user }, { params: { note } }) => busy(stage, user, note),
  }),
  failing("/refused", () => Effect.fail(badRequest("refused", { why: "so" }))),
  failing("/unavailable", () => Effect.fail(new Unavailable({ reason: "gone" }))),
  failing("/unknown", () => Effect.fail(new OutcomeUnknown({ reason: "lost" }))),
  failing("/defect", () => Effect.die(new Error("secret detail"))),
  failing("/both", () => Effect.ensuring(Effect.fail(badRequest("refused")), Effect.die(new Error("secret detail")))),
  failing("/throws", () => {
    throw new Error("secret detail")
  }),
]

export const testConfig = (change: Partial<ConfigShape> = {}, limits: Partial<Limits> = {}): ConfigShape =>
  productionConfig({
    dataFolder: "",
    database: { kind: "pglite", folder: "", sync: false },
    secret: "test",
    externalUrl: "https://chat.example.org",
    origins: ["https://app.example.net"],
    ...change,
    limits: { ...defaultLimits, ...limits },
  })

/** hook@ is a webhook bot; hamlet and others are told apart by their addresses. */
const check = (host: string, email: string, key: string): Result.Result<FoundAccount, ApiError> =>
  key === goodKey && host !== "elsewhere.example.org"
    ? Result.succeed({
        realm: RealmId(1),
        user: UserId(email.startsWith("hamlet") ? 7 : 8),
        keyVersion: 1,
        isWebhookBot: email.startsWith("hook"),
      })
    : Result.fail(unauthorized("Invalid API key"))

const authenticate = (
  host: string,
  email: string,
  key: string,
): Effect.Effect<FoundAccount, ApiError | Unavailable> => {
  if (email === "down@example.org") return Effect.fail(new Unavailable({ reason: "down" }))
  if (email === "broken@example.org") return Effect.die(new Error("secret detail"))
  return Effect.fromResult(check(host, email, key))
}

/** Every key of a bot that is one digit over and over is that of the user whose id it is. */
const checkBot = (key: string): Result.Result<FoundAccount, ApiError> =>
  /^(\d)\1{31}$/.test(key)
    ? Result.succeed({ realm: RealmId(1), user: UserId(Number(key[0])), keyVersion: 1, isWebhookBot: true })
    : Result.fail(unauthorized("Invalid API key"))

const attachTo =
  (stage: Stage): AttachSocket =>
  (peer) => {
    const owned: Owned = { peer, messages: [], drains: [], closes: 0 }
    stage.owned.push(owned)
    return {
      onMessage: (message) => {
        if (message === "throw") throw new Error("secret detail")
        owned.messages.push(typeof message === "string" ? message : JSON.stringify(message))
      },
      onDrain: () => {
        owned.drains.push(peer.buffered())
      },
      onClose: () => {
        owned.closes += 1
      },
    } satisfies SocketHandlers
  }

export interface Fixture extends RunningServer {
  readonly stage: Stage
  readonly clock: ManualClock
  readonly stop: () => Promise<void>
}

export interface FixtureOptions {
  readonly config?: Partial<ConfigShape>
  readonly limits?: Partial<Limits>
  readonly attach?: AttachSocket
  readonly plain?: Readonly<Record<string, () => PlainAnswer>>
  readonly livePages?: Readonly<Record<string, MakePage<never>>>
  /** Finding out who sent a request takes a turn. */
  readonly loadsRealm?: boolean
  /** Everybody's header is known: no request needs a fiber to find out who sent it. */
  readonly knowsAll?: boolean
  /** A turn of the loop has time for all requests that come in it. */
  readonly longTurns?: boolean
}

/** Every signature but a bad one, as the accounts tell them that has the realm at work. */
const known = (host: string, authorization: string) =>
  Result.flatMap(readBasic(authorization), ({ email, key }) => {
    if (email === "broken@example.org") throw new Error("secret detail")
    return check(host, email, key)
  })

/** Starts the server; `stop` closes it. */
export const startFixture = async (options: FixtureOptions = {}): Promise<Fixture> => {
  const stage: Stage = {
    held: [],
    owned: [],
    prepared: [],
    defects: [],
    abouts: [],
    gates: [],
    gateDone: 0,
    large: 0,
    begun: [],
    largeAnswers: null,
    left: 0,
    cut: () => {},
    refusals: [],
  }
  const clock = manualClock(1_700_000_000_000)
  const scope = Scope.makeUnsafe()
  const largeAnswers = makeLargeAnswers(
    clock,
    makeRefusals(clock, () => {}),
    testConfig().limits,
  )
  stage.largeAnswers = largeAnswers
  const server = await Effect.runPromise(
    startServer({
      config: testConfig(options.config, options.limits),
      pictures: [],
      livePages: options.livePages ?? {},
      downloads: [{ prefix: "/user_uploads/", find: () => Effect.succeed(null) }],
      webPages: [],
      clock,
      ...(options.longTurns === true ? { elapsed: () => 0 } : {}),
      largeAnswers,
      refusals: {
        note: (limit, who) => {
          stage.refusals.push(`${limit}: ${who}`)
        },
        counts: () => new Map(),
      },
      routes: routes(stage),
      authenticate: (...asked) =>
        options.loadsRealm === true ? Effect.andThen(nextSlice, authenticate(...asked)) : authenticate(...asked),
      known: options.knowsAll === true ? known : () => undefined,
      ofBotKey: (_, key) => Effect.fromResult(checkBot(key)),
      knownBot: (_, key) => (options.knowsAll === true ? checkBot(key) : undefined),
      isOneOfSeveral: () => false,
      findRealm: (host) => Effect.succeed(host === "chat.example.org" ? RealmId(1) : null),
      socket: {
        prepare: (who, queueId, lastEventId) => {
          stage.prepared.push(`${who.user} ${queueId} ${lastEventId}`)
          if (queueId === "bad") return Effect.fail(badEventQueue(queueId))
          if (queueId === "broken") return Effect.die(new Error("secret detail"))
          if (queueId === "down") return Effect.fail(new Unavailable({ reason: "down" }))
          const attach = options.attach ?? attachTo(stage)
          if (queueId !== "slow") return Effect.succeed(attach)
          return Effect.callback<AttachSocket>((resume) => {
            stage.gates.push(() => resume(Effect.succeed(attach)))
          })
        },
      },
      plain: { "/health": () => ({ status: 200, body: "{}" }), ...options.plain },
      logDefect: (requestId, cause, about) =>
        Effect.sync(() => {
          stage.defects.push(`${requestId} ${String(cause)}`)
          stage.abouts.push(about)
        }),
    }).pipe(Scope.provide(scope)),
  )
  return { ...server, stage, clock, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
