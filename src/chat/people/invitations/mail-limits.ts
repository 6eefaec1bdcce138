/**
 * How many invitations may be mailed in 24 hours: by an organization, by each of its people who are not administrators, so that
 * nobody takes all from the others, and to an address, because who is invited did not ask for it. Counted in the database
 * (`count_invitations_v2`).
 */
import * as Effect from "effect/Effect"
import { badRequest, invitationFailed } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { refused } from "../../../events/command.ts"
import type { RealmId } from "../../../ids.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { findMailed } from "./invitation-store.ts"
import type { SkippedInvitee } from "./invitees.ts"

/** Mails with invitations to one address, the first and those sent again. */
const mostToAddress = 3

/** The argument of the table function for invitations that somebody has mailed. */
export const mailLimits = (by: UserRecord, perDay: number) => ({
  per_day: perDay,
  share: isAdministrator(by) ? null : Math.ceil(perDay / 2),
  per_address: mostToAddress,
})

const over = (msg: string) => refused(invitationFailed(msg, { isOverLimit: true }))

/** The refusals of the table function, by its words. */
export const overLimits = {
  daily: over(
    "To protect people, an organization can mail only so many invitations in a day. The limit is reached, so no invitations were sent.",
  ),
  share: over(
    "One person can mail half of the invitations that an organization can mail in a day. The limit is reached, so no invitations were sent. Ask an administrator.",
  ),
  often: refused(
    badRequest(`An address can be mailed an invitation ${mostToAddress} times in a day: try again tomorrow`),
  ),
}

/** Of some addresses those that are to get no more today, folded. Asked again in the commit. */
export const findOftenMailed = Effect.fnUntraced(function* (realm: RealmId, addresses: ReadonlyArray<string>) {
  const since = (yield* Clock).now() - 24 * 3600_000
  return new Set(yield* findMailed(realm, addresses.map(fold), since, mostToAddress))
})

export const oftenMailed = (address: string): SkippedInvitee => [
  address,
  `Was mailed ${mostToAddress} invitations within a day.`,
  false,
]
