/**
 * The part of PATCH /settings about the password: whoever knows the one that holds chooses another. Guesses at it are limited
 * together with those of fetch_api_key. The hash that was checked must still be there in the commit, so of two who
 * change it at once one is told that their old one is wrong.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { requesterName } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { Database } from "../../../db/database.ts"
import type { CommandGuard } from "../../../events/step.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { findPasswordHash } from "../../ground/realm/realm-store.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { SignInThrottle } from "../../ground/sign-in/sign-in-throttle.ts"
import { readNewPassword } from "./new-user.ts"

export const wrongPassword = badRequest("Wrong password!")

/** The word with which the guard refuses. */
export const stalePassword = "stale"

export interface NewPassword {
  readonly hash: string
  /** That the one before is still the one that was checked. */
  readonly guard: CommandGuard
}

/** The hash that the password fits; undefined: it is wrong, or there is none. */
const checkOld = Effect.fnUntraced(function* (caller: Caller, user: UserRecord, password: string) {
  const throttle = yield* SignInThrottle
  const guess = yield* Effect.fromResult(throttle.begin(caller.realm, user.email, requesterName(caller)))
  const passwords = yield* Passwords
  const check = Effect.gen(function* () {
    const stored = yield* findPasswordHash(yield* Database, caller.realm, user.id)
    const isRight = yield* passwords.matches(password, stored)
    return isRight && stored !== null ? stored : undefined
  })
  return yield* Effect.onExit(check, (exit) =>
    Effect.sync(() => guess.end(exit._tag === "Success" && exit.value === undefined)),
  )
})

/** To be asked again in the command: to check and to hash takes a while. */
export const requirePasswords = ({ settings }: Realm): Checked<void> =>
  settings.password_auth_enabled
    ? Result.void
    : Result.fail(badRequest("This organization has no passwords of its own: they cannot be changed here"))

/** Checks the old password and hashes the new one. */
export const preparePassword = Effect.fnUntraced(function* (
  caller: Caller,
  realm: Realm,
  user: UserRecord,
  { old, wanted }: { readonly old: string; readonly wanted: string },
) {
  if (user.is_bot) return yield* badRequest("Bots sign in by key only, and have no password")
  yield* Effect.fromResult(requirePasswords(realm))
  const password = yield* Effect.fromResult(readNewPassword(wanted))
  const stored = yield* checkOld(caller, user, old)
  if (stored === undefined) return yield* wrongPassword
  const made: NewPassword = {
    hash: yield* (yield* Passwords).hash(password),
    guard: { fn: "is_password_v1", args: { user_id: user.id, hash: stored } },
  }
  return made
})
