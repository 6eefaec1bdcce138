/** How the network's part finds accounts and organizations; app.ts gives it to server.ts. */
import type * as Effect from "effect/Effect"
import type { ApiError, Checked, Unavailable } from "../../api/errors.ts"
import type { RealmId, UserId } from "../../ids.ts"

/** Whose key a request was signed with. */
export interface FoundAccount {
  readonly realm: RealmId
  readonly user: UserId
  /** The version of that key. */
  readonly keyVersion: number
  /** Bots of this kind may use only the endpoints that allow it. */
  readonly isWebhookBot: boolean
}

/** Finds accounts and organizations, for each request. `host` has no port and is in lower case. */
export interface AccountLookup {
  readonly authenticate: (
    host: string,
    email: string,
    key: string,
  ) => Effect.Effect<FoundAccount, ApiError | Unavailable>
  /** The account of a bot's key that came in an address. */
  readonly ofBotKey: (host: string, key: string) => Effect.Effect<FoundAccount, ApiError | Unavailable>
  readonly findRealm: (host: string) => Effect.Effect<RealmId | null, Unavailable>
  /** Whether the server has several organizations, of which one is at this host. */
  readonly isOneOfSeveral: (host: string) => boolean
  /**
   * The account of an Authorization header, synchronously; undefined where `authenticate` must load the realm first.
   */
  readonly known: (host: string, authorization: string) => Checked<FoundAccount> | undefined
  /** The same of a bot's key; undefined where `ofBotKey` must find it out. */
  readonly knownBot: (host: string, key: string) => Checked<FoundAccount> | undefined
}
