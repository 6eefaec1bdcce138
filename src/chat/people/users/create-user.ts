/** POST /users: makes a user. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { type Command, judgementOf, refused } from "../../../events/command.ts"
import type { UserId } from "../../../ids.ts"
import { mayManageUsers } from "../../ground/permissions/permissions.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import { addressFault } from "../../ground/realm/email-domains.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readEmail, readUserName } from "../../ground/requester/read-names.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { addressNotAllowed, judgeNewUser, type NewUser, readNewPassword } from "./new-user.ts"

const createUser = (caller: Caller, user: NewUser, now: () => number): Command<Realm, UserId> => ({
  judge: (realm) =>
    judgementOf(requireActor(realm, caller), (actor) => {
      if (!mayManageUsers(actor)) return refused(badRequest("User not authorized to create users"))
      const fault = addressFault(realm, user.email)
      return fault === undefined ? judgeNewUser(realm, user, now()) : refused(addressNotAllowed(user.email, fault))
    }),
})

export const postUsers = userEndpoint({
  method: "POST",
  path: "/users",
  fresh: "onRefusal",
  summary: "Makes a user, without asking them to confirm their address.",
  params: { email: text("email"), password: text("password"), fullName: text("full_name") },
  reply: Schema.Struct({ user_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const realms = yield* Realms
    const clock = yield* Clock
    const { user: actor } = yield* requireAccount(caller)
    // Checked again in the command; here it saves hashing a password for a request that will be refused.
    if (!mayManageUsers(actor)) return yield* badRequest("User not authorized to create users")
    const email = yield* Effect.fromResult(readEmail(params.email))
    const fullName = yield* Effect.fromResult(readUserName(params.fullName))
    const password = yield* Effect.fromResult(readNewPassword(params.password))
    const passwordHash = yield* (yield* Passwords).hash(password)
    const mailedUrl = canSendMail(yield* Config) ? caller.origin : undefined
    const person = { email, fullName, role: roles.member, isBot: false, isWelcomed: true } as const
    const user: NewUser = { ...person, mailedUrl, passwordHash }
    const id = yield* realms.submit(caller.realm, createUser(caller, user, clock.now))
    if (mailedUrl !== undefined) yield* wakeMail
    return dataReply({ user_id: id })
  }),
})
