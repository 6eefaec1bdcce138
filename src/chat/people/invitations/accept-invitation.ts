/**
 * Accepting an invitation: one commit ends it (a link for many stays open, and counts its uses), makes the account by the same steps as POST /users,
 * and tells its inviter. Called by the page (join-page.ts).
 */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import type { RealmId } from "../../../ids.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { addressFault } from "../../ground/realm/email-domains.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { wakeMail } from "../../sending/mail/mail.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { addressNotAllowed, type NewUser, planNewUser } from "../users/new-user.ts"
import { findGrant } from "./invitation-rules.ts"
import type { Invitation } from "./invitation-store.ts"
import { invitesChanged, linkUsed } from "./invites-changed-event.ts"

export type InvitedPerson = Pick<NewUser, "email" | "fullName" | "passwordHash" | "mailedUrl">

/** `gone`: the invitation is over. */
type AcceptOutcome = UserRecord | "gone"

const linkBusy = badRequest("Many people have joined by this link within an hour: try again later.")

const addressInvited = badRequest("This address has an invitation of its own: use the link in its mail.")

/** A name has no backtick, so as code it says nothing else. */
const noticeOf = ({ full_name }: UserRecord): string => `\`${full_name}\` accepted your invitation, and is here now.`

const judgeAcceptance = (
  realm: Realm,
  invitation: Invitation,
  newcomer: InvitedPerson,
  now: number,
  usesPerHour: number,
): Judgement<AcceptOutcome> => {
  const welcome = findGrant(realm, invitation)
  if (welcome === undefined) return done("gone")
  if (addressFault(realm, newcomer.email) !== undefined) return refused(addressNotAllowed(newcomer.email))
  const { inviter, channels, groups } = welcome
  const { id, email, role, notifies, welcome_text } = invitation
  const user: NewUser = {
    ...newcomer,
    role,
    isBot: false,
    isWelcomed: true,
    welcomeText: welcome_text ?? undefined,
    channels,
    groups,
  }
  return judgementOf(planNewUser(realm, user, now), ({ record, steps }): Judgement<AcceptOutcome> => {
    const used =
      email === null
        ? linkUsed(id, usesPerHour)
        : invitesChanged(realm, inviter.id, { op: "accept", invitation_id: id })
    const tells = notifies ? noticeSteps(realm, [{ user: inviter, content: noticeOf(record) }]) : []
    const all: ReadonlyArray<CommandStep> = [used, ...steps, ...tells]
    return change<AcceptOutcome>(all, {
      answer: () => record,
      guard: { fn: "is_invited_v1", args: { id, email_folded: fold(record.email) } },
      refused: { gone: done("gone"), revoked: done("gone"), busy: refused(linkBusy), mailed: refused(addressInvited) },
    })
  })
}

/** The new account, or `gone`; fails where the address cannot have one. */
export const acceptInvitation = Effect.fnUntraced(function* (
  realmId: RealmId,
  invitation: Invitation,
  newcomer: InvitedPerson,
) {
  const realms = yield* Realms
  const { now } = yield* Clock
  const { invitationLinkUsesPerHour } = (yield* Config).limits
  const accepted = yield* realms.submit(realmId, {
    judge: (realm) => judgeAcceptance(realm, invitation, newcomer, now(), invitationLinkUsesPerHour),
  })
  if (newcomer.mailedUrl !== undefined) yield* wakeMail
  return accepted
})
