/**
 * Requests that a user and an address may make: an allowance for each class of endpoints, counted per minute. Where
 * limits are off nothing is counted and no verdict given. Asked by admit-account.ts for those who are signed in, by
 * anonymous-requests.ts for all others.
 */

import { type Caller, type LimitClass, requesterName } from "../../api/endpoint.ts"
import { type ApiError, rateLimited } from "../../api/errors.ts"
import type { ClockShape } from "../../clock.ts"
import type { ConfigShape } from "../../config/config.ts"
import type { Notes } from "../../events/peers/notes.ts"
import { makeRateCounter, type RateVerdict } from "../../fairness/rate-counter.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import type { ServerAnswer } from "../answer/answer.ts"
import { isAddress, isUser, makeSharedCounts } from "./shared-counts.ts"

/** `page`: what is answered without work, such as /health, the questions of browsers, and sockets yet to sign in. */
export type AddressClass = LimitClass | "page"

export interface RateLimit {
  /** Counts a request that is signed in. */
  readonly ofUser: (who: Pick<Caller, "realm" | "user">, kind?: LimitClass) => RateVerdict | undefined
  /** Whether a user has used up the allowances of all these classes. Counts nothing. */
  readonly isUsedUp: (who: Pick<Caller, "realm" | "user">, kinds: ReadonlyArray<LimitClass | undefined>) => boolean
  /** Counts a request of a visitor, and one whose signature is wrong. */
  readonly ofAddress: (address: string, kind?: AddressClass) => RateVerdict | undefined
}

const windowMs = 60_000

/** 12 MB for each counter, with those of the minute before twice that. */
const mostAddresses = 50_000
/** More users than a process serves; beyond that they would share one window. */
const mostUsers = 200_000

/** User ids are far below, so a realm and a user make one number as the key, which is cheaper than a text. */
const idsPerRealm = 2 ** 32

const off: RateLimit = { ofUser: () => undefined, isUsedUp: () => false, ofAddress: () => undefined }

/**
 * `isReserved`: addresses that are counted by themselves however many others there are. `others`: how processes that serve the same
 * database tell each other what they have counted; null: each counts for itself.
 */
export const makeRateLimit = (
  clock: ClockShape,
  { rateLimit, limits }: Pick<ConfigShape, "rateLimit" | "limits">,
  refusals: RefusalsShape,
  isReserved: (address: string) => boolean,
  others: Notes | null = null,
): RateLimit => {
  if (!rateLimit) return off
  const share = others === null ? null : makeSharedCounts(clock, others)
  const ofUsers = (name: string, limit: number) => {
    const counter = makeRateCounter<number>(clock, { windowMs, limit, mostKeys: mostUsers })
    return share === null ? counter : share(name, isUser, counter)
  }
  const ofAddresses = (name: string, limit: number) => {
    const counter = makeRateCounter<string>(clock, { windowMs, limit, mostKeys: mostAddresses }, isReserved)
    return share === null ? counter : share(name, isAddress, counter)
  }
  // Processes know the counters by these names.
  const requests = ofUsers("requests", limits.userRequestsPerMinute)
  const polls = ofUsers("polls", limits.pollsPerMinute)
  const visits = ofAddresses("visits", limits.addressRequestsPerMinute)
  const signIns = ofAddresses("signIns", limits.addressRequestsPerMinute)
  const pages = ofAddresses("pages", limits.pageRequestsPerMinute)
  const ofClass = (kind: LimitClass | undefined) => (kind === "poll" ? polls : requests)
  return {
    ofUser: ({ realm, user }, kind) => {
      const verdict = ofClass(kind).count(realm * idsPerRealm + user)
      if (verdict.waitSeconds !== null) refusals.note("requests of a user", requesterName({ realm, user }))
      return verdict
    },
    isUsedUp: ({ realm, user }, kinds) =>
      kinds.every((kind) => ofClass(kind).peek(realm * idsPerRealm + user).waitSeconds !== null),
    ofAddress: (address, kind) => {
      const verdict = (kind === "signIn" ? signIns : kind === "page" ? pages : visits).count(address)
      if (verdict.waitSeconds !== null) refusals.note("requests of an address", address)
      return verdict
    },
  }
}

/** Refusals in a minute after which each further one closes its connection: who is told so often does not listen. */
const patience = 100

export const isStubborn = (verdict: RateVerdict | undefined): boolean =>
  verdict !== undefined && verdict.refused > patience

/** The error of a verdict that does not admit the request. */
export const refusalOf = (verdict: RateVerdict | undefined): ApiError | undefined =>
  verdict === undefined || verdict.waitSeconds === null ? undefined : rateLimited(verdict.waitSeconds)

/** Adds the verdict's X-RateLimit headers, written as one: each header is a call into the native side. */
export const withVerdict = (answer: ServerAnswer, verdict: RateVerdict | undefined): ServerAnswer => {
  if (verdict === undefined) return answer
  const { limit, remaining, resetAt } = verdict
  const lines = `${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${resetAt}`
  return { ...answer, headers: [...answer.headers, ["X-RateLimit-Limit", lines]] }
}
