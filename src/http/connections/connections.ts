/**
 * Which new connections are let in, before anything of them is read: so many in all, and so many new ones of an address
 * within ten seconds. The network layer does not say whose connection has closed, so those of an address cannot be
 * counted as they stand; but it closes a connection that asks nothing for ten seconds, and what keeps one open longer
 * has a bound of its own: requests and pages by minute, unfinished bodies, sockets that have not signed in, queues.
 * Made by server.ts; uws.ts asks.
 */
import type { ClockShape } from "../../clock.ts"
import type { ConfigShape } from "../../config/config.ts"
import { makeRateCounter } from "../../fairness/rate-counter.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import type { ClientAddresses } from "./client-address.ts"

export interface ConnectionAdmission {
  /** Whether a connection from this address may stay, where `open` are open with it. */
  readonly admits: (peer: string, open: number) => boolean
  /** Few are left: who has not signed in keeps none. */
  readonly isCrowded: (open: number) => boolean
}

/** Milliseconds that the network layer gives a connection that asks nothing. */
const silenceMs = 10_000
const mostAddresses = 50_000

/** Share of all connections above which the rest is kept for those who sign in. */
const crowdedShare = 0.9
/** Share of its usual number that an address may open then: enough for a person, too little for a flood. */
const scarceShare = 0.05
/** Connections beyond the last one, for whoever looks after the server from the machine itself. */
const forThisMachine = 16

export const makeConnectionAdmission = (
  clock: ClockShape,
  { rateLimit, limits }: Pick<ConfigShape, "rateLimit" | "limits">,
  addresses: ClientAddresses,
  refusals: RefusalsShape,
  most: number,
): ConnectionAdmission => {
  const limit = limits.connectionsPerAddress
  const scarce = Math.max(1, Math.floor(scarceShare * limit))
  const counted = { windowMs: silenceMs, limit, mostKeys: mostAddresses }
  const opened = makeRateCounter<string>(clock, counted, addresses.isNear)
  const isCrowded = (open: number) => open > crowdedShare * most
  return {
    isCrowded,
    admits: (peer, open) => {
      const key = addresses.find(peer, "")
      if (open > most + (addresses.isNear(key) && !addresses.isProxy(peer) ? forThisMachine : 0)) {
        refusals.note("connections in all", key)
        return false
      }
      // All clients behind a proxy come from its address: only their requests can be counted by client.
      if (!rateLimit || addresses.isProxy(peer)) return true
      const { remaining, waitSeconds } = opened.count(key)
      if (waitSeconds === null && (limit - remaining <= scarce || !isCrowded(open))) return true
      refusals.note("connections of an address", key)
      return false
    },
  }
}
