/**
 * Counts the requests of those who have not shown a valid key, by their address, before anything is done for them, and
 * lets go of their connections where they are too many. Made by server.ts; used by whatever answers requests.
 */
import type { RateVerdict } from "../../fairness/rate-counter.ts"
import type { ClientAddresses } from "../connections/client-address.ts"
import type { WireResponse } from "../network/uws-response.ts"
import type { WireRequest } from "../network/wire-request.ts"
import { type AddressClass, isStubborn, type RateLimit } from "./rate-limit.ts"

export interface AnonymousRequests {
  /** The address that a request is counted under. Empty once it has ended. */
  readonly addressOf: (request: WireRequest, response: WireResponse) => string
  /** Counts a request of an address. Its connection closes with its answer where it takes the place of others. */
  readonly count: (response: WireResponse, address: string, kind?: AddressClass) => RateVerdict | undefined
}

export const makeAnonymousRequests = (
  rateLimit: RateLimit,
  addresses: ClientAddresses,
  isCrowded: () => boolean,
): AnonymousRequests => ({
  addressOf: (request, response) => addresses.find(response.address(), request.forwarded),
  count: (response, address, kind) => {
    const verdict = rateLimit.ofAddress(address, kind)
    if (isStubborn(verdict) || isCrowded()) response.closeAfterwards()
    return verdict
  },
})
