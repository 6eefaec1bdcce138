/**
 * How many requests a user and an address may make: an allowance for each class of endpoints, counted per minute.
 * Where limits are off nothing is counted and no verdict given. Asked by api.ts and socket.ts for each request.
 */
import type { ClockShape } from "../clock.ts"
import type { ConfigShape } from "../config.ts"
import type { Caller, LimitClass } from "../endpoint.ts"
import { type ApiError, rateLimited } from "../errors.ts"
import { makeRateCounter, type Verdict } from "../rate-counter.ts"
import type { Answer } from "./uws-response.ts"

export interface RateLimit {
  /** Counts a request that is signed in. */
  readonly ofUser: (who: Pick<Caller, "realm" | "user">, kind?: LimitClass) => Verdict | undefined
  /** Counts a request of a visitor, and one whose signature is wrong. */
  readonly ofAddress: (address: string, kind?: LimitClass) => Verdict | undefined
}

const windowMs = 60_000

/** 12 MB for each counter, with those of the minute before twice that. */
const mostAddresses = 50_000
/** More users than a process serves; beyond that they would share one window. */
const mostUsers = 200_000

/** User ids are far below, so a realm and a user make one number as the key, which is cheaper than a text. */
const idsPerRealm = 2 ** 32

const off: RateLimit = { ofUser: () => undefined, ofAddress: () => undefined }

export const makeRateLimit = (clock: ClockShape, { rateLimit, limits }: ConfigShape): RateLimit => {
  if (!rateLimit) return off
  const ofUsers = (limit: number) => makeRateCounter<number>(clock, { windowMs, limit, mostKeys: mostUsers })
  const ofAddresses = (limit: number) => makeRateCounter<string>(clock, { windowMs, limit, mostKeys: mostAddresses })
  const requests = ofUsers(limits.userRequestsPerMinute)
  const polls = ofUsers(limits.pollsPerMinute)
  const visits = ofAddresses(limits.addressRequestsPerMinute)
  const signIns = ofAddresses(limits.addressRequestsPerMinute)
  return {
    ofUser: ({ realm, user }, kind) => (kind === "poll" ? polls : requests).count(realm * idsPerRealm + user),
    ofAddress: (address, kind) => (kind === "signIn" ? signIns : visits).count(address),
  }
}

/** The error of a verdict that does not admit the request. */
export const refusalOf = (verdict: Verdict | undefined): ApiError | undefined =>
  verdict === undefined || verdict.waitSeconds === null ? undefined : rateLimited(verdict.waitSeconds)

/** Adds the verdict's X-RateLimit headers, written as one: each header is a call into the native side. */
export const withVerdict = (answer: Answer, verdict: Verdict | undefined): Answer => {
  if (verdict === undefined) return answer
  const { limit, remaining, resetAt } = verdict
  const lines = `${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${resetAt}`
  return { ...answer, headers: [...answer.headers, ["X-RateLimit-Limit", lines]] }
}
