/**
 * The row and event of any change of the list of invitations (contract 2.10, 5.1). The event says only that there is one: who
 * hears it, the administrators and who has invited, reads the list anew. What is invited is given to the table only.
 */
import * as Schema from "effect/Schema"
import { toServers, toUsers } from "../../../events/audience.ts"
import type { NewCalls, NewRow } from "../../../events/step.ts"
import type { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { plainEvent } from "../../ground/wire/wire-values.ts"

export const invitesChangedKind = eventKind({
  type: "invites_changed",
  payload: Schema.Union([
    Schema.Struct({ op: Schema.Literal("make") }),
    /** Only informs: those of somebody who has left are over. */
    Schema.Struct({ op: Schema.Literal("end") }),
    Schema.Struct({ op: Schema.Literals(["resend", "revoke", "accept", "use"]), invitation_id: Schema.Number }),
  ]),
  changesRules: false,
  applyFunction: "apply_invites_changed_v2",
  events: { "": plainEvent("invites_changed", {}) },
  wire: () => oneEvent({ type: "invites_changed" }),
})

/** An account is made by a link for many, which stays open: the list is as it was, so nobody hears of it. */
export const linkUsed = (id: number, perHour: number): NewRow =>
  invitesChangedKind.change({ op: "use", invitation_id: id }, toServers, { sideData: { per_hour: perHour } })

type InvitationChange = Parameters<typeof invitesChangedKind.change>[0]

/** The administrators, who see all invitations. */
const administrators = (realm: Realm): ReadonlyArray<UserId> =>
  [...realm.users.values()].filter((user) => isAdministrator(user) && realm.isActive(user.id)).map(({ id }) => id)

export const invitesChanged = (
  realm: Realm,
  inviter: UserId,
  change: InvitationChange,
  sideData: JsonObject = {},
): NewRow => invitesChangedKind.change(change, toUsers(new Set([inviter, ...administrators(realm)])), { sideData })

/** The step that ends the invitations of people who leave, before or after the rows by which they do. */
export const invitationsEnded = (realm: Realm, leaving: ReadonlyArray<UserId>): NewCalls => {
  const gone = new Set(leaving)
  const told = toUsers(administrators(realm).filter((id) => !gone.has(id)))
  const row = invitesChangedKind.tell({ op: "end" }, told)
  return { fn: "end_invitations_of_v1", calls: leaving.map((inviter_id) => ({ inviter_id, row })), keepsRules: true }
}
