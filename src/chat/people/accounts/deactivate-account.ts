/**
 * DELETE /users/me and DELETE /users/{user_id}: deactivates an account, and with a person their bots, which a return does not
 * bring back. Scheduled messages and drafts stay: the former fail when their time has come, all are there again after a return.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, lastUser, noSuchUser } from "../../../api/errors.ts"
import { check, integer, json, optional, text } from "../../../api/params.ts"
import { boolean, object, optional as optionalField } from "../../../api/shapes.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, refused } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { isLastOwner, mayDeactivate, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { addMail, canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { deactivatedMail } from "../account-links/account-mails.ts"
import { invitationsEnded } from "../invitations/invites-changed-event.ts"
import { botsOf, deactivationSteps } from "../users/deactivation-steps.ts"

/** Characters of what an administrator says to whom they deactivate. */
const longestComment = 2000
const longestActions = 1000

/** The rows of one who leaves, after those of their bots. */
export const accountDeactivationSteps = (realm: Realm, user: UserRecord): ReadonlyArray<CommandStep> => {
  const leaving = [...(user.is_bot ? [] : botsOf(realm, user)), user]
  return [
    ...deactivationSteps(realm, leaving),
    invitationsEnded(
      realm,
      leaving.map(({ id }) => id),
    ),
  ]
}

/** The steps by which somebody is deactivated; null: they are already. Who may do that is asked before. */
export const planLeaving = (realm: Realm, user: UserRecord): Checked<ReadonlyArray<CommandStep> | null> => {
  if (!realm.isActive(user.id)) return Result.succeed(null)
  return isLastOwner(realm, user)
    ? Result.fail(badRequest("The only organization owner cannot be deactivated."))
    : Result.succeed(accountDeactivationSteps(realm, user))
}

/** Whether there is no other person. */
const isLastPerson = (realm: Realm, user: UserRecord): boolean => {
  if (user.is_bot) return false
  for (const other of realm.users.values())
    if (other.id !== user.id && !other.is_bot && realm.isActive(other.id)) return false
  return true
}

export const deleteOwnUser = userEndpoint({
  method: "DELETE",
  path: "/users/me",
  fresh: "onRefusal",
  summary: "Deactivates the requester's own account.",
  params: {},
  reply: noFields,
  errors: ["CANNOT_DEACTIVATE_LAST_USER"],
  run: Effect.fnUntraced(function* (caller) {
    yield* submitAs(caller, (realm, actor): Judgement<void> => {
      if (isLastOwner(realm, actor)) return refused(lastUser(true))
      if (isLastPerson(realm, actor)) return refused(lastUser(false))
      return change(accountDeactivationSteps(realm, actor))
    })
    return dataReply()
  }),
})

const erasures = [
  "delete_profile",
  "delete_public_channel_messages",
  "delete_private_channel_messages",
  "delete_direct_messages",
] as const

/** Clients of later levels may ask to erase more. Nothing of that is done here, so it is refused before anything is. */
const actions = check(
  json(
    "actions",
    object({
      delete_profile: optionalField(boolean),
      delete_public_channel_messages: optionalField(boolean),
      delete_private_channel_messages: optionalField(boolean),
      delete_direct_messages: optionalField(boolean),
    }),
    { max: longestActions },
  ),
  (wanted) => {
    const asked = erasures.find((name) => wanted[name] === true)
    return asked === undefined ? undefined : `The action '${asked}' is not offered: delete what must go by itself`
  },
)

const noMail = badRequest("This server cannot send mail, so it cannot tell whom you deactivate")

export const deleteUser = userEndpoint({
  method: "DELETE",
  path: "/users/{user_id:int}",
  fresh: "onRefusal",
  summary: "Deactivates a user.",
  params: {
    userId: integer("user_id"),
    comment: optional(text("deactivation_notification_comment", { max: longestComment })),
    actions: optional(actions),
  },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller: Caller, { params: { userId, comment } }) {
    const canSend = canSendMail(yield* Config)
    const isMailed = yield* submitAs(caller, (realm, actor): Judgement<boolean> => {
      const user = findUser(realm, actor, UserId(userId))
      if (user === undefined) return refused(noSuchUser())
      if (!mayDeactivate(actor, user)) return refused(ranksTooLow(actor))
      const leaving = planLeaving(realm, user)
      if (Result.isFailure(leaving)) return refused(leaving.failure)
      if (leaving.success === null) return done(false)
      const tells = comment !== undefined && !user.is_bot
      if (tells && !canSend) return refused(noMail)
      const about = { organization: realm.settings.name, name: user.full_name, address: user.email }
      const mail = tells ? [addMail(deactivatedMail(about, comment.trim()))] : []
      return change([...leaving.success, ...mail], { answer: () => tells })
    })
    if (isMailed) yield* wakeMail
    return dataReply()
  }),
})
