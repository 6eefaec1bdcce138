/**
 * The requester of a request, and their realm. An endpoint for accounts begins with `requireAccount`; one that is open
 * to visitors too begins with `requireReader`, which admits visitors only if the server and the organization allow
 * them. A command checks its requester again when it is judged, by `requireActor`.
 */
import * as Effect from "effect/Effect"
import type { Caller, Visitor } from "../../../api/endpoint.ts"
import { notSignedIn, realmUnknown } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import type { Realm } from "../realm/realm.ts"
import { type RealmRuntime, Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireActor } from "./actor.ts"

export interface RequestAccount {
  readonly runtime: RealmRuntime
  readonly realm: Realm
  readonly user: UserRecord
}

export interface RealmReader extends Omit<RequestAccount, "user"> {
  /** null: a visitor without an account. */
  readonly user: UserRecord | null
}

/** The realm and the record of the requester as they are now; fails with UNAUTHORIZED if they may not ask any more. */
export const requireAccount = Effect.fnUntraced(function* (caller: Caller) {
  const realms = yield* Realms
  const runtime = yield* realms.get(caller.realm)
  const { realm } = runtime
  const user = yield* Effect.fromResult(requireActor(realm, caller))
  return { runtime, realm, user } satisfies RequestAccount
})

/** Whether the realm admits visitors without an account. */
export const admitsVisitors = Effect.fnUntraced(function* (realm: Realm) {
  const { webPublicChannels } = yield* Config
  return webPublicChannels && realm.settings.enable_spectator_access && !realm.isDeactivated
})

/** An account as in `requireAccount`, or a visitor; fails with UNAUTHORIZED if the realm admits no visitors. */
export const requireReader = Effect.fnUntraced(function* (who: Caller | Visitor) {
  if ("user" in who) return (yield* requireAccount(who)) satisfies RealmReader
  if (who.realm === null) return yield* Effect.fail(realmUnknown())
  const realms = yield* Realms
  const runtime = yield* realms.get(who.realm)
  const { realm } = runtime
  if (!(yield* admitsVisitors(realm))) return yield* Effect.fail(notSignedIn())
  return { runtime, realm, user: null } satisfies RealmReader
})
