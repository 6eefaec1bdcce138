/** PATCH /users/{user_id} and /users/{email}: the name, role, profile and address of somebody, changed together or not at all. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, noSuchUser } from "../../../api/errors.ts"
import { type Decoded, id, integer, json, mapped, optional, text } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { mayChangeRole, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { findUser, findUserByAddress } from "../../ground/realm/acquaintance/find-user.ts"
import { type Role, roleNumbers } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { mayEditPerson, planName } from "../profile-data/full-names.ts"
import { planProfile, profileFieldInputs } from "../profile-data/profile-data.ts"
import { addressSteps, botsKeepTheirs, readAddress, requireFree } from "./new-address.ts"
import { planRole } from "./roles/roles.ts"

const isRole = (value: number): value is Role => roleNumbers.some((role) => role === value)

export const role = mapped(integer("role"), (value) =>
  isRole(value) ? Result.succeed(value) : Result.fail(badRequest("Invalid role")),
)

const params = {
  role: optional(role),
  fullName: optional(text("full_name")),
  profileData: optional(json("profile_data", profileFieldInputs)),
  newEmail: optional(text("new_email")),
}
type UserUpdateParams = Decoded<typeof params>

/**
 * The steps that give a user the address that an administrator wants for them, at once. Whoever has somebody's address has a new
 * password mailed there, and signs in as them: so it takes what a change of their role takes.
 */
const planAddress = (
  realm: Realm,
  actor: UserRecord,
  user: UserRecord,
  raw: string,
  canSend: boolean,
): Checked<ReadonlyArray<CommandStep>> =>
  Result.gen(function* () {
    if (raw.trim() === user.email) return []
    if (!mayChangeRole(actor, user, user.role)) return yield* Result.fail(ranksTooLow(actor))
    if (user.is_bot) return yield* Result.fail(botsKeepTheirs)
    const email = yield* readAddress(realm, raw)
    yield* requireFree(realm, user, email)
    return addressSteps(realm, user, email, canSend)
  })

interface PlannedUserUpdate {
  readonly steps: ReadonlyArray<CommandStep>
  /** Whether a mail is among them. */
  readonly mails: boolean
}

const noProfile = badRequest("Bots have no profile fields.")

/** The steps of all that a request changes. */
const plan = (
  realm: Realm,
  actor: UserRecord,
  user: UserRecord,
  wanted: UserUpdateParams,
  canSend: boolean,
): Checked<PlannedUserUpdate> =>
  Result.gen(function* () {
    const { role, fullName, profileData, newEmail } = wanted
    if (role === undefined && !mayEditPerson(actor, user)) return yield* Result.fail(ranksTooLow(actor))
    const roleSteps = role === undefined ? [] : yield* planRole(realm, actor, user, role)
    const names = fullName === undefined ? [] : yield* planName(realm, user, fullName)
    if (profileData !== undefined && user.is_bot) return yield* Result.fail(noProfile)
    const values = profileData === undefined ? [] : yield* planProfile(realm, actor, user, profileData)
    const address = newEmail === undefined ? [] : yield* planAddress(realm, actor, user, newEmail, canSend)
    return { steps: [...roleSteps, ...names, ...values, ...address], mails: canSend && address.length > 0 }
  })

type FindUser = (realm: Realm, actor: UserRecord) => UserRecord | undefined

const patch = Effect.fnUntraced(function* (caller: Caller, find: FindUser, wanted: UserUpdateParams) {
  const canSend = canSendMail(yield* Config)
  const mails = yield* submitAs(caller, (realm, actor): Judgement<boolean> => {
    const user = find(realm, actor)
    if (user === undefined || !realm.users.has(user.id)) return refused(noSuchUser())
    return judgementOf(
      plan(realm, actor, user, wanted, canSend),
      ({ steps, mails }): Judgement<boolean> =>
        steps.length === 0 ? done(false) : change(steps, { answer: () => mails }),
    )
  })
  if (mails) yield* wakeMail
})

export const patchUser = userEndpoint({
  method: "PATCH",
  path: "/users/{user_id:int}",
  fresh: "onRefusal",
  summary: "Changes a user's name, role, address and profile fields.",
  params: { userId: id("user_id", UserId), ...params },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { userId, ...wanted } }) {
    yield* patch(caller, (realm, actor) => findUser(realm, actor, userId), wanted)
    return dataReply()
  }),
})

export const patchUserByEmail = userEndpoint({
  method: "PATCH",
  path: "/users/{email}",
  fresh: "onRefusal",
  summary: "The same, of a user by an address that the requester may know, or by the placeholder that anybody has.",
  params: { email: text("email"), ...params },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { email, ...wanted } }) {
    yield* patch(caller, (realm, actor) => findUserByAddress(realm, actor, email.trim()), wanted)
    return dataReply()
  }),
})
