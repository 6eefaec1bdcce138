/**
 * Finds whose a name and a password are: the directory is asked first, where there is one and the organization allows it,
 * then the password that is kept here. A directory only says who somebody is; it makes no accounts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import { Directory } from "../directory/directory.ts"
import type { Realm } from "../realm/realm.ts"
import { findPasswordHash, renewPasswordHash } from "../realm/realm-store.ts"
import type { UserRecord } from "../realm/records.ts"
import { mayAskDirectory } from "./password-sign-in.ts"
import { Passwords } from "./passwords.ts"
import { type PasswordGuess, SignInThrottle } from "./sign-in-throttle.ts"

export interface SignInRealm {
  readonly id: RealmId
  readonly realm: Realm
}

/** The credentials that somebody signs in with, and the network address that they come from. */
export interface PresentedCredentials {
  readonly name: string
  readonly password: string
  readonly address: string
}

export interface IdentifiedAccount {
  readonly user: UserRecord
  readonly by: "directory" | "password"
}

/**
 * Whether the password is the user's. Undefined: no such account, which takes as long and is false. A right password is
 * the only occasion to renew a hash that is weaker than those made today; a renewal that fails is left for the next.
 */
const checkPassword = Effect.fnUntraced(function* (realm: RealmId, user: UserRecord | undefined, password: string) {
  const database = yield* Database
  const stored = yield* findPasswordHash(database, realm, user?.id)
  const passwords = yield* Passwords
  const isRight = yield* passwords.matches(password, stored)
  if (isRight && user !== undefined && stored !== null && passwords.isWeak(stored))
    yield* Effect.ignore(
      Effect.flatMap(passwords.hash(password), (renewed) =>
        renewPasswordHash(database, realm, user.id, stored, renewed),
      ),
    )
  return isRight
})

const byPassword = Effect.fnUntraced(function* ({ id, realm }: SignInRealm, { name, password }: PresentedCredentials) {
  const user = realm.findUserByEmail(name)
  const isRight = yield* checkPassword(id, user, password)
  const identified: IdentifiedAccount | undefined = user !== undefined && isRight ? { user, by: "password" } : undefined
  return identified
})

/** The one person whose address the directory says. An entry with addresses of several accounts is none of them. */
const byDirectory = Effect.fnUntraced(function* (
  { realm }: SignInRealm,
  { name, password, address }: PresentedCredentials,
) {
  const directory = yield* Directory
  const addresses = yield* directory.addressesOf(address, name, password)
  const people = new Set(addresses.map((each) => realm.findUserByEmail(each.trim())))
  const [user, another] = [...people].filter((each) => each !== undefined && !each.is_bot)
  const identified: IdentifiedAccount | undefined =
    user !== undefined && another === undefined ? { user, by: "directory" } : undefined
  return identified
})

/**
 * By the password, while the directory does not say whether it would have known them: who has one here gets in, others
 * cannot be told that they are wrong. Their sign-in counts as no guess, but guesses at the passwords that are kept here
 * are counted apart, and not checked beyond the limit.
 */
const withoutDirectory = Effect.fnUntraced(function* (place: SignInRealm, presented: PresentedCredentials) {
  const throttle = yield* SignInThrottle
  const guess = throttle.beginAside(place.id, presented.name, presented.address)
  if (Result.isFailure(guess)) return undefined
  return yield* Effect.onExit(byPassword(place, presented), (exit) =>
    Effect.sync(() => guess.success.end(exit._tag === "Success" && exit.value === undefined)),
  )
})

/** `refused` is called when the directory has said no, whatever comes after. */
const find = Effect.fnUntraced(function* (place: SignInRealm, presented: PresentedCredentials, refused: () => void) {
  const config = yield* Config
  const { settings } = place.realm
  if (!mayAskDirectory(settings, config)) return yield* byPassword(place, presented)
  const found = yield* Effect.result(byDirectory(place, presented))
  if (Result.isSuccess(found) && found.success === undefined) refused()
  if (!settings.password_auth_enabled) return yield* Effect.fromResult(found)
  if (Result.isSuccess(found)) return found.success ?? (yield* byPassword(place, presented))
  return (yield* withoutDirectory(place, presented)) ?? (yield* found.failure)
})

/**
 * Undefined: nobody's. Fails with 503 where that cannot be said. Ends the guess: one that the directory has called wrong
 * counts, also where the password that is kept here cannot be checked, or a directory could be guessed at for as long as
 * that lasts.
 */
export const identify = Effect.fnUntraced(function* (
  place: SignInRealm,
  presented: PresentedCredentials,
  guess: PasswordGuess,
) {
  let isRefused = false
  const refused = () => {
    isRefused = true
  }
  return yield* Effect.onExit(find(place, presented, refused), (exit) =>
    Effect.sync(() => guess.end(exit._tag === "Success" ? exit.value === undefined : isRefused)),
  )
})
