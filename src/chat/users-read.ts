/** GET /users and GET /users/me: the people of an organization as anybody in it may read them (contract 2.14, 3.9). */
import * as Effect from "effect/Effect"
import { Database } from "../db/database.ts"
import { data, userEndpoint } from "../endpoint.ts"
import { UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { boolean, json, optional, withDefault } from "../params.ts"
import { integer, list } from "../shapes.ts"
import { requireActor } from "./actor.ts"
import type { Realm } from "./realm.ts"
import { Realms } from "./realms.ts"
import type { UserRecord } from "./records.ts"
import { readStoredState } from "./sync/register-store.ts"
import { wirePerson } from "./wire-records.ts"

export interface MemberOptions {
  readonly gravatar: boolean
  readonly profileData: boolean
}

/** A person with whether they are active; bots have no profile. */
export const wireMember = (realm: Realm, user: UserRecord, { gravatar, profileData }: MemberOptions): JsonObject => ({
  ...wirePerson(user, gravatar),
  is_active: realm.isActive(UserId(user.id)),
  ...(profileData && !user.is_bot ? { profile_data: {} } : {}),
})

export const getUsers = userEndpoint({
  method: "GET",
  path: "/users",
  summary: "Everybody in the organization, bots and deactivated people too.",
  params: {
    gravatar: withDefault(boolean("client_gravatar"), true),
    profileData: withDefault(boolean("include_custom_profile_fields"), false),
    userIds: optional(json("user_ids", list(integer, 100_000))),
  },
  run: Effect.fnUntraced(function* (caller, { userIds, ...options }) {
    const realms = yield* Realms
    const { realm } = yield* realms.get(caller.realm)
    yield* Effect.fromResult(requireActor(realm, caller))
    const asked = userIds === undefined ? null : new Set(userIds)
    const users = [...realm.users.values()].filter((user) => asked === null || asked.has(user.id))
    return data({ members: users.map((user) => wireMember(realm, user, options)) })
  }),
})

export const getOwnUser = userEndpoint({
  method: "GET",
  path: "/users/me",
  summary: "The requester.",
  params: {},
  run: Effect.fnUntraced(function* (caller) {
    const realms = yield* Realms
    const database = yield* Database
    const { realm } = yield* realms.get(caller.realm)
    const { max_message_id } = yield* readStoredState(database, caller.realm, caller.user)
    const user = yield* Effect.fromResult(requireActor(realm, caller))
    return data({ ...wireMember(realm, user, { gravatar: false, profileData: true }), max_message_id })
  }),
})
