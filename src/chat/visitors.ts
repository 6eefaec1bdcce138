/**
 * Who asks without an account: admitted where the organization lets anybody read what is public, and else answered as
 * whoever forgot to sign in. Called by the endpoints that are open to both.
 */
import * as Effect from "effect/Effect"
import type { Caller, Visitor } from "../endpoint.ts"
import { notSignedIn, realmUnknown } from "../errors.ts"
import { requireActor } from "./actor.ts"
import type { RealmRuntime } from "./realm-runtime.ts"
import { Realms } from "./realms.ts"
import type { UserRecord } from "./records.ts"

export interface Reader {
  readonly runtime: RealmRuntime
  /** null: a visitor. */
  readonly user: UserRecord | null
}

export const requireReader = Effect.fnUntraced(function* (who: Caller | Visitor) {
  const realms = yield* Realms
  if (who.realm === null) return yield* Effect.fail(realmUnknown())
  const runtime = yield* realms.get(who.realm)
  const { realm } = runtime
  if ("user" in who) {
    const user = yield* Effect.fromResult(requireActor(realm, who))
    return { runtime, user } satisfies Reader
  }
  if (realm.isDeactivated || !realm.settings.enable_spectator_access) return yield* Effect.fail(notSignedIn())
  return { runtime, user: null } satisfies Reader
})
