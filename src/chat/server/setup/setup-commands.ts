/**
 * Commands by which the server itself changes an organization or an account. As in realm-setup.ts, no permissions are
 * checked. Called by the commands of operators (server/commands) and the test kit.
 */
import * as Effect from "effect/Effect"
import { toRealm, toServers } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { apiKeyKind } from "../../ground/sign-in/api-key.ts"
import { passwordRow } from "../../people/users/account-kinds.ts"

export const submitTo = Effect.fnUntraced(function* (id: RealmId, judge: (realm: Realm) => Judgement<void>) {
  const realms = yield* Realms
  const command: Command<Realm, void> = { judge }
  return yield* realms.submit(id, command)
})

/** Deactivates the organization: every connection ends, and nobody can sign in. */
export const deactivateRealm = (id: RealmId) =>
  submitTo(id, (realm) => {
    if (realm.isDeactivated) return done(undefined)
    return change([realmRows.change({ op: "deactivated", realm_id: id }, toRealm)])
  })

export const reactivateRealm = (id: RealmId) =>
  submitTo(id, (realm) => {
    if (!realm.isDeactivated) return done(undefined)
    return change([realmRows.change({ op: "reactivated" }, toServers)])
  })

/** From now on the user signs in with this password, also where the one before had to be reset. */
export const changePassword = (id: RealmId, user: UserId, passwordHash: string) =>
  submitTo(id, () => change([passwordRow(user, passwordHash)]))

/** The user's API key is another one; the connections of the old one end. */
export const renewApiKey = (id: RealmId, user: UserId) =>
  submitTo(id, (realm) => {
    const known = realm.users.get(user)
    if (known === undefined) return done(undefined)
    return change([apiKeyKind.change({ user_id: user, key_version: known.key_version + 1 }, toServers)])
  })
