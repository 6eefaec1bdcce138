/**
 * GET /invites, DELETE /invites/{id}, POST /invites/{id}/resend (contract 3.11). Administrators manage all invitations, others
 * their own: one of somebody else is refused as one that there is not.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { integer } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { RoleNumber } from "../../ground/wire/wire-person.ts"
import { Address, Id, Seconds, Url } from "../../ground/wire/wire-values.ts"
import { addMail, canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { invitationLinkOf } from "./invitation-link.ts"
import { invitationMail } from "./invitation-mail.ts"
import { mayKnowLink, requireMailInviter, requireOfferedRole } from "./invitation-rules.ts"
import { findInvitation, type Invitation, listInvitations, sizeOfInvitations } from "./invitation-store.ts"
import { invitesChanged } from "./invites-changed-event.ts"
import { mailLimits, overLimits } from "./mail-limits.ts"
import { noMail } from "./send-invitations.ts"

const noInvitation = badRequest("No such invitation")

const listed = {
  id: Id,
  invited_by_user_id: Id,
  invited: Seconds,
  expiry_date: Schema.NullOr(Seconds),
  invited_as: RoleNumber,
  notify_referrer_on_join: Schema.Boolean,
}
const Listed = Schema.Union([
  Schema.Struct({ ...listed, email: Address, is_multiuse: Schema.Literal(false) }),
  Schema.Struct({ ...listed, link_url: Url, is_multiuse: Schema.Literal(true) }),
])

const getInvites = userEndpoint({
  method: "GET",
  path: "/invites",
  summary:
    "The open invitations: for administrators all, but for links that give what they could not give; for others their own.",
  params: {},
  reply: Schema.Struct({ invites: Schema.Array(Listed) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm, user } = yield* requireAccount(caller)
    const { secret } = yield* Config
    const ofAll = isAdministrator(user)
    const bytes = yield* sizeOfInvitations(caller, ofAll)
    const make = Effect.map(listInvitations(caller, ofAll), ({ mailed, links }) => {
      const shown = links
        .filter((link) =>
          mayKnowLink(realm, user, { ...link, inviter_id: link.invited_by_user_id, role: link.invited_as }),
        )
        .map(({ seed, channel_ids: _, group_ids: __, ...link }) =>
          JSON.stringify({ ...link, link_url: invitationLinkOf(secret, caller.realm, seed, caller.origin) }),
        )
      return [`"invites":[${[...(mailed === "" ? [] : [mailed]), ...shown].join(",")}]`]
    })
    return yield* (yield* LargeAnswers).answer(requesterName(caller), bytes, make)
  }),
})

const mayManage = (realm: Realm, actor: UserRecord, invitation: Invitation): boolean =>
  invitation.email === null
    ? mayKnowLink(realm, actor, invitation)
    : invitation.inviter_id === actor.id || isAdministrator(actor)

/** Judges a command on an invitation by mail or, where `isLink`, on a link, if the requester may manage it. */
export const submitForInvitation = Effect.fnUntraced(function* <A>(
  caller: Caller,
  id: number,
  isLink: boolean,
  judge: (invitation: Invitation, realm: Realm, actor: UserRecord) => Judgement<A>,
) {
  const found = yield* findInvitation(caller.realm, id)
  return yield* submitAs(caller, (realm, actor) =>
    found === null || (found.email === null) !== isLink || !mayManage(realm, actor, found)
      ? refused(noInvitation)
      : judge(found, realm, actor),
  )
})

/** Revokes it; that of somebody else by mail to a role above one's own cannot be revoked, as it could not be made. */
export const revoke = (caller: Caller, id: number, isLink: boolean) =>
  submitForInvitation(caller, id, isLink, (invitation, realm, actor) => {
    const { inviter_id, role } = invitation
    const revoked = () =>
      change([invitesChanged(realm, inviter_id, { op: "revoke", invitation_id: id })], {
        answer: () => undefined,
        refused: {
          gone: refused(noInvitation),
          revoked: refused(badRequest("Invitation has already been revoked")),
        },
      })
    return inviter_id === actor.id ? revoked() : judgementOf(requireOfferedRole(actor, role), revoked)
  })

const invitationId = integer("invite_id")

const deleteInvite = userEndpoint({
  method: "DELETE",
  path: "/invites/{invite_id:int}",
  fresh: "onRefusal",
  summary: "Revokes an invitation.",
  params: { invitationId },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { invitationId: id } }) {
    yield* revoke(caller, id, false)
    return dataReply()
  }),
})

/** Its mail once more, with the same link, which is good for as long from now as it was from the invitation. */
const resendInvite = userEndpoint({
  method: "POST",
  path: "/invites/{invite_id:int}/resend",
  fresh: "onRefusal",
  summary: "Sends an invitation again.",
  params: { invitationId },
  reply: noFields,
  errors: ["INVITATION_FAILED", "UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { invitationId: id } }) {
    const config = yield* Config
    if (!canSendMail(config)) return yield* noMail
    yield* submitForInvitation(caller, id, false, (invitation, realm, actor) => {
      const { inviter_id, role, email, seed, invited_at, expires_at } = invitation
      const mail = invitationMail({
        address: email ?? "",
        askedBy: actor.id,
        inviter: realm.users.get(inviter_id)?.full_name ?? "",
        organization: realm.settings.name,
        link: invitationLinkOf(config.secret, caller.realm, seed, caller.origin),
        expiresAt: expires_at === null ? null : realm.now() + expires_at - invited_at,
      })
      return judgementOf(requireMailInviter(realm, actor), () =>
        judgementOf(requireOfferedRole(actor, role), () =>
          change(
            [
              invitesChanged(
                realm,
                inviter_id,
                { op: "resend", invitation_id: id },
                { by: actor.id, limits: mailLimits(actor, config.limits.invitationsPerDay) },
              ),
              addMail(mail),
            ],
            {
              answer: () => undefined,
              refused: { gone: refused(noInvitation), ...overLimits },
            },
          ),
        ),
      )
    })
    yield* wakeMail
    return dataReply()
  }),
})

export const invitationEndpoints = [getInvites, deleteInvite, resendInvite]
