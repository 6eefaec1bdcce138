/**
 * Requests of this server to other servers, at addresses that users have given it: it gets a picture or a page that a message
 * links (GET), and calls the program behind an outgoing webhook (POST). There is no other way out for such addresses, because
 * somebody may give one to have this server reach what only it can reach, or to keep it busy. So each request is checked and
 * bounded: it goes to public addresses only, also after a redirect (`network.ts`), and the call of a program to those that
 * the operator has opened (`allowed-targets.ts`), too; it takes so many bytes, packed and
 * unpacked, and so many seconds; and so many are under way at once, in all and for each who asks. Nothing is kept here.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock, type ClockShape } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { awaitTurn, FairTurns } from "../../../fairness/fair-turns.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import { type AllowedTargets, allowedTargets, noTargets } from "./allowed-targets.ts"
import { findAllowedAddresses, mayCall, OutboundNetwork, type OutboundNetworkShape } from "./network.ts"
import { askOnce, type PostBody } from "./one-request.ts"
import { BodyTooLarge, readBody, UnknownEncoding } from "./response-body.ts"
import { longestUrl } from "./url-limit.ts"

export interface OutboundRequest {
  readonly url: string
  /** The types that are asked for, as an Accept header, and that are taken: one of them begins the answer's. */
  readonly types: ReadonlyArray<string>
  readonly mostBytes: number
  /** A longer body is cut there; else it is refused. */
  readonly isCut: boolean
  /** The body and its type, which make it a POST, the call of a program; absent: it is a GET. */
  readonly post?: PostBody
}

export interface FetchedResource {
  /** The address to which the last redirect led. */
  readonly url: string
  /** As the other server says, with its parameters. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

/**
 * Why nothing was fetched. `address`: it may not be connected to, or does not exist; `answer`: the other server answered
 * an error, or what was not asked for; `busy`: too much is fetched already, so it may be asked for again.
 */
export class NotFetched extends Data.TaggedError("NotFetched")<{
  readonly why: "address" | "connection" | "answer" | "redirects" | "size" | "time" | "busy"
  /** The status of an answer that was refused for it. */
  readonly status?: number
}> {}

export interface OutboundShape {
  /** `owner`: who takes turns with others: a client by its address, or an organization. */
  readonly fetch: (owner: string, wanted: OutboundRequest) => Effect.Effect<FetchedResource, NotFetched>
  /** Whether a program at this address could be called, as far as it is known within some seconds. */
  readonly mayCall: (url: URL) => Effect.Effect<boolean>
}

const mostRedirects = 4
/** Until the head of an answer has come, for each of the redirects. */
const headMilliseconds = 5_000
/** For all of it. */
const allMilliseconds = 10_000
const waitMilliseconds = 5_000
/** Who makes a bot does not wait longer for a name server. */
const checkMilliseconds = 3_000
const lineLimits = { capacity: 16, perOwner: 6, ownerWaiting: 40, allWaiting: 200 }

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Those that have what was posted sent to another address. Others would make a GET of it, which answers something else. */
const postRedirects: ReadonlySet<number> = new Set([307, 308])

/** A web address without a user and password, which would be credentials of somebody. */
export const readUrl = (text: string, base?: URL): URL | undefined => {
  if (text.length > longestUrl || !URL.canParse(text, base?.href)) return undefined
  const url = new URL(text, base)
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : undefined
}

const isTaken = (contentType: string, types: ReadonlyArray<string>): boolean => {
  const [type = ""] = contentType.toLowerCase().split(";", 1)
  return types.some(
    (each) => each === "*/*" || (each.endsWith("/*") ? type.startsWith(each.slice(0, -1)) : type.trim() === each),
  )
}

/** Calls `task` with a signal that ends after a time, or with `outer`. */
const within = async <A>(
  clock: ClockShape,
  ms: number,
  outer: AbortSignal,
  task: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  const controller = new AbortController()
  const end = () => controller.abort()
  const timer = clock.after(ms, end)
  outer.addEventListener("abort", end)
  if (outer.aborted) end()
  try {
    return await task(controller.signal)
  } finally {
    timer.cancel()
    outer.removeEventListener("abort", end)
  }
}

const untilAborted = <A>(promise: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const end = () => reject(new NotFetched({ why: "time" }))
    signal.addEventListener("abort", end, { once: true })
    if (signal.aborted) end()
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end))
  })

interface Ways {
  readonly network: OutboundNetworkShape
  readonly clock: ClockShape
  readonly opened: AllowedTargets
}

const follow = async ({ network, clock, ...ways }: Ways, wanted: OutboundRequest, signal: AbortSignal) => {
  const { post } = wanted
  const opened = post === undefined ? noTargets : ways.opened
  const followed = post === undefined ? redirects : postRedirects
  let url = readUrl(wanted.url)
  for (let turn = 0; turn <= mostRedirects; turn++) {
    if (url === undefined) throw new NotFetched({ why: "address" })
    const asked: URL = url
    const answer = await within(
      clock,
      post === undefined ? headMilliseconds : allMilliseconds,
      signal,
      async (inTime) => {
        const addresses = await untilAborted(findAllowedAddresses(network, asked, opened), inTime)
        if (addresses.length === 0) throw new NotFetched({ why: "address" })
        return askOnce(asked, addresses, { accept: wanted.types.join(", "), post }, inTime)
      },
    )
    // The signal of the head is over with it; the body has the time that is left of all.
    const { message } = answer
    const end = () => message.destroy(new NotFetched({ why: "time" }))
    signal.addEventListener("abort", end, { once: true })
    try {
      if (signal.aborted) throw new NotFetched({ why: "time" })
      const { statusCode = 0, headers } = message
      const { location, "content-type": contentType = "" } = headers
      if (followed.has(statusCode) && location !== undefined) {
        url = readUrl(location, asked)
        continue
      }
      const isGood = post === undefined ? statusCode === 200 : statusCode >= 200 && statusCode < 300
      if (!isGood) throw new NotFetched({ why: "answer", status: statusCode })
      if (!isTaken(contentType, wanted.types)) throw new NotFetched({ why: "answer" })
      if (!wanted.isCut && Number(headers["content-length"] ?? 0) > wanted.mostBytes) throw new BodyTooLarge()
      return { url: asked.href, contentType, bytes: await readBody(answer, wanted.mostBytes, wanted.isCut) }
    } finally {
      signal.removeEventListener("abort", end)
      message.destroy()
    }
  }
  throw new NotFetched({ why: "redirects" })
}

const reasonOf = (fault: unknown, isLate: boolean): NotFetched => {
  if (isLate) return new NotFetched({ why: "time" })
  if (fault instanceof NotFetched) return fault
  if (fault instanceof BodyTooLarge) return new NotFetched({ why: "size" })
  if (fault instanceof UnknownEncoding) return new NotFetched({ why: "answer" })
  return new NotFetched({ why: fault instanceof Error && fault.name === "AbortError" ? "time" : "connection" })
}

export class Outbound extends Context.Service<Outbound, OutboundShape>()("parley/chat/Outbound") {
  static readonly layer = Layer.effect(
    Outbound,
    Effect.gen(function* () {
      const clock = yield* Clock
      const network = yield* OutboundNetwork
      const refusals = yield* Refusals
      const opened = allowedTargets((yield* Config).outgoingAllow)
      const turns = new FairTurns(lineLimits)
      const turn = (owner: string) =>
        Effect.mapError(awaitTurn(turns, clock, { owner, cost: 1 }, waitMilliseconds), () => {
          refusals.note("fetches from other servers", owner)
          return new NotFetched({ why: "busy" })
        })
      const get = (wanted: OutboundRequest) =>
        Effect.callback<FetchedResource, NotFetched>((resume, ended) => {
          let isLate = false
          const fetching = within(clock, allMilliseconds, ended, (signal) => {
            signal.addEventListener("abort", () => {
              isLate = true
            })
            return follow({ network, clock, opened }, wanted, signal)
          })
          fetching.then(
            (fetched) => resume(Effect.succeed(fetched)),
            (fault: unknown) => resume(Effect.fail(reasonOf(fault, isLate))),
          )
        })
      return {
        fetch: (owner, wanted) =>
          Effect.acquireUseRelease(
            turn(owner),
            () => get(wanted),
            (begun) => Effect.sync(() => turns.leave(begun)),
          ),
        mayCall: (url) =>
          Effect.promise((outer) =>
            within(clock, checkMilliseconds, outer, (signal) =>
              untilAborted(mayCall(network, url, opened), signal),
            ).catch(() => true),
          ),
      }
    }),
  )
}
