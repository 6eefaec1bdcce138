/** The addresses that a request invites. Those that cannot be invited are told with the reason, and skipped. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { addressFault } from "../../ground/realm/email-domains.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { readEmail } from "../../ground/requester/read-names.ts"
import { isMailAddress } from "../../sending/mail/mail-headers.ts"
import { isReservedAddress } from "../users/new-user.ts"
import { readAddressList } from "./address-list.ts"

/** The most addresses in a request, and characters of all of them. */
const mostInvitees = 1000
export const longestInvitees = 100_000

/** The address, why it was not invited, and whether it has an account that is deactivated. */
export type SkippedInvitee = readonly [address: string, reason: string, isDeactivated: boolean]

/** Each once, whatever its case. */
export const readInvitees = (raw: string): Checked<ReadonlyArray<string>> => {
  const found = new Map<string, string>()
  for (const address of readAddressList(raw)) if (!found.has(fold(address))) found.set(fold(address), address)
  if (found.size === 0) return Result.fail(badRequest("You must specify at least one email address."))
  return found.size > mostInvitees
    ? Result.fail(badRequest(`You can invite at most ${mostInvitees} people at once.`))
    : Result.succeed([...found.values()])
}

export const isInvitable = (address: string): boolean => Result.isSuccess(readEmail(address)) && isMailAddress(address)

/** Why an address cannot be invited into an organization; undefined if it can. */
export const skippedFor = (realm: Realm, address: string): SkippedInvitee | undefined => {
  if (!isInvitable(address) || isReservedAddress(realm, address)) return [address, "Invalid address.", false]
  const user = realm.findUserByEmail(address)
  if (user === undefined) {
    const fault = addressFault(realm, address)
    return fault === undefined ? undefined : [address, fault, false]
  }
  return realm.isActive(user.id)
    ? [address, "Already has an account.", false]
    : [address, "Account has been deactivated.", true]
}
