/**
 * Accounts where several processes serve one database: one that is not known here, or not by this key, may have been made or
 * given it through another a moment ago. So each such request looks once more, by all that was committed before.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiError, Checked, Unavailable } from "../../api/errors.ts"
import type { RealmId } from "../../ids.ts"
import type { AccountLookup, FoundAccount } from "./account-lookup.ts"

/** What can only be refused here is left to who can look. */
const unlessRefused = (found: Checked<FoundAccount> | undefined): Checked<FoundAccount> | undefined =>
  found !== undefined && Result.isFailure(found) ? undefined : found

export const freshAccounts = (
  accounts: AccountLookup,
  fresh: (realm: RealmId) => Effect.Effect<void, Unavailable>,
): AccountLookup => {
  const again = (host: string, find: Effect.Effect<FoundAccount, ApiError | Unavailable>) =>
    Effect.catchTag(find, "ApiError", (failure) =>
      Effect.flatMap(accounts.findRealm(host), (realm) =>
        realm === null ? Effect.fail(failure) : Effect.andThen(fresh(realm), find),
      ),
    )
  return {
    authenticate: (host, email, key) =>
      again(
        host,
        Effect.suspend(() => accounts.authenticate(host, email, key)),
      ),
    ofBotKey: (host, key) =>
      again(
        host,
        Effect.suspend(() => accounts.ofBotKey(host, key)),
      ),
    findRealm: accounts.findRealm,
    isOneOfSeveral: accounts.isOneOfSeveral,
    known: (host, authorization) => unlessRefused(accounts.known(host, authorization)),
    knownBot: (host, key) => unlessRefused(accounts.knownBot(host, key)),
  }
}
