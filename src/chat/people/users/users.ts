/** POST /users and DELETE /users/{user_id}: makes and deactivates users. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, noSuchUser } from "../../../api/errors.ts"
import { integer, text } from "../../../api/params.ts"
import { Clock } from "../../../clock.ts"
import { toRealm } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judged, refused } from "../../../events/command.ts"
import { UserId } from "../../../ids.ts"
import { channelsOf, peerRemove } from "../../channels/subscriptions/subscription-steps.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { partingRows } from "../../ground/permissions/acquaintance-rows.ts"
import { isLastOwner, mayDeactivate, mayManageUsers, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { addressFault } from "../../ground/realm/domains.ts"
import { findUser } from "../../ground/realm/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { withRules } from "../../ground/realm/rules.ts"
import { roles } from "../../ground/realm/values.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readEmail, readUserName } from "../../ground/requester/names.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { allMembershipRows, namingRows } from "../user-groups/membership-rows.ts"
import { addressNotAllowed, judgeNewUser, type NewUser, readNewPassword } from "./new-user.ts"

const createUser = (caller: Caller, user: NewUser, now: () => number): Command<Realm, UserId> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), (actor) =>
      !mayManageUsers(actor)
        ? refused(badRequest("User not authorized to create users"))
        : addressFault(realm, user.email) === undefined
          ? judgeNewUser(realm, user, now())
          : refused(addressNotAllowed(user.email)),
    ),
})

export const postUsers = userEndpoint({
  method: "POST",
  path: "/users",
  summary: "Makes a user, without asking them to confirm their address.",
  params: { email: text("email"), password: text("password"), fullName: text("full_name") },
  reply: Schema.Struct({ user_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, params) {
    const realms = yield* Realms
    const clock = yield* Clock
    const { user: actor } = yield* requireAccount(caller)
    // Checked again in the command; here it saves hashing a password for a request that will be refused.
    if (!mayManageUsers(actor)) return yield* badRequest("User not authorized to create users")
    const email = yield* Effect.fromResult(readEmail(params.email))
    const fullName = yield* Effect.fromResult(readUserName(params.fullName))
    const password = yield* Effect.fromResult(readNewPassword(params.password))
    const passwordHash = yield* (yield* Passwords).hash(password)
    const user: NewUser = { email, fullName, role: roles.member, isBot: false, isWelcomed: true, passwordHash }
    const id = yield* realms.submit(caller.realm, createUser(caller, user, clock.now))
    return data({ user_id: id })
  }),
})

const deactivate = (caller: Caller, target: UserId): Command<Realm, void> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), (actor): Judgement<void> => {
      const user = findUser(realm, actor, target)
      if (user === undefined) return refused(noSuchUser())
      if (!mayDeactivate(actor, user)) return refused(ranksTooLow(actor))
      if (!realm.isActive(target)) return done(undefined)
      if (isLastOwner(realm, user)) return refused(badRequest("The only organization owner cannot be deactivated."))
      const before = withRules(realm, {})
      const channels = channelsOf(realm, target)
      const after = withRules(realm, { isActive: (id) => id !== target && realm.isActive(id) })
      return change([
        realmUserRows.change({ op: "update", user_id: target, is_active: false }, toRealm),
        ...allMembershipRows(realm, user, "remove_members"),
        ...channels.map((channel) => peerRemove(before, channel, [target])),
        ...partingRows(
          realm,
          channels.map(({ id }) => ({ channel: id, users: [user] })),
        ),
        ...namingRows(after, user),
      ])
    }),
})

export const deleteUser = userEndpoint({
  method: "DELETE",
  path: "/users/{user_id:int}",
  summary: "Deactivates a user.",
  params: { userId: integer("user_id") },
  reply: nothing,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { userId }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, deactivate(caller, UserId(userId)))
    return data()
  }),
})
