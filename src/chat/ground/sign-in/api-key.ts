/**
 * POST /users/me/api_key/regenerate: a new key for the requester. From the row of the change on the old key is refused
 * and connections opened with it are closed. Event queues stay, and are read with the new key.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { unauthorized } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { toServers } from "../../../events/audience.ts"
import { type Command, change, judgementOf } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas } from "../../../ids.ts"
import { eventKind } from "../kinds/event-kind.ts"
import { noEvents } from "../kinds/event-kind-helpers.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireActor } from "../requester/actor.ts"
import { ApiKey } from "../wire/wire-values.ts"
import { apiKey } from "./sign-in.ts"

/** A row that clients do not see: from now on only the key of this version is valid. */
export const apiKeyKind = eventKind({
  type: "api_key",
  payload: Schema.Struct({ user_id: idSchemas.user, key_version: Schema.Number }),
  changesRules: true,
  applyFunction: "apply_api_key_v1",
  applyToProjection: (realm, { user_id, key_version }) => {
    const user = realm.users.get(user_id)
    if (user !== undefined) realm.setUser({ ...user, key_version })
  },
  events: {},
  shutsOut: ({ user_id }) => ({ who: user_id, reason: "key-changed" }),
  wire: () => noEvents,
})

/** From now on only a new key of theirs is valid. */
export const newKeyRow = ({ id, key_version }: UserRecord): NewRow =>
  apiKeyKind.change({ user_id: id, key_version: key_version + 1 }, toServers)

const regenerate = (caller: Caller): Command<Realm, void> => ({
  judge: (realm) => judgementOf(requireActor(realm, caller), (user) => change([newKeyRow(user)])),
})

export const regenerateApiKey = userEndpoint({
  method: "POST",
  path: "/users/me/api_key/regenerate",
  fresh: "onRefusal",
  summary: "Makes a new API key; the old one is no longer valid.",
  params: {},
  reply: Schema.Struct({ api_key: ApiKey }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const realms = yield* Realms
    const { secret } = yield* Config
    const { realm } = yield* realms.get(caller.realm)
    yield* realms.submit(caller.realm, regenerate(caller))
    const user = realm.users.get(caller.user)
    if (user === undefined) return yield* unauthorized("Account is deactivated")
    return dataReply({ api_key: apiKey(secret, caller.realm, user) })
  }),
})
