/**
 * POST /users/me/api_key/regenerate (contract 3.9): a new key for the requester. The old one is refused from the row of
 * the change on, and every connection that was opened with it ends; event queues stay and go on with the new key.
 */
import * as Effect from "effect/Effect"
import { Config } from "../../config.ts"
import { type Caller, data, userEndpoint } from "../../endpoint.ts"
import { unauthorized } from "../../errors.ts"
import { type Command, call, judged } from "../../events/command.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import { requireActor } from "../requester/actor.ts"
import { apiKey } from "./sign-in.ts"

const regenerate = (caller: Caller): Command<Realm, void> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), ({ id, key_version }) => {
      const row = { payload: { user_id: id, key_version: key_version + 1 }, audience: { kind: "servers" } }
      return call("regenerate_keys_v1", { row }, true)
    }),
})

export const regenerateApiKey = userEndpoint({
  method: "POST",
  path: "/users/me/api_key/regenerate",
  summary: "Makes a new API key; the old one is no longer good.",
  params: {},
  run: Effect.fnUntraced(function* (caller) {
    const realms = yield* Realms
    const { secret } = yield* Config
    const { realm } = yield* realms.get(caller.realm)
    yield* realms.submit(caller.realm, regenerate(caller))
    const user = realm.users.get(caller.user)
    if (user === undefined) return yield* unauthorized("Account is deactivated")
    return data({ api_key: apiKey(secret, caller.realm, user) })
  }),
})
