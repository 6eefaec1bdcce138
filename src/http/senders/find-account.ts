/**
 * The account of a request, by what it is signed with: its Authorization header or, where another service calls (a web hook), the
 * key of a bot in its address. Used wherever requests come in: receive-request.ts, handle-request.ts, body-authorizer.ts, serve-downloads.ts.
 */
import * as Effect from "effect/Effect"
import type { ApiError, Checked, Unavailable } from "../../api/errors.ts"
import { readBasic } from "../request/basic-auth.ts"
import type { AccountLookup, FoundAccount } from "./account-lookup.ts"

export interface RequestSignature {
  /** Without the port. */
  readonly host: string
  /** Empty: there is none. */
  readonly authorization: string
  /** Undefined where the route takes no such key, or a header is there. Empty: it is missing in the address. */
  readonly botKey: string | undefined
}

type AccountFinding = Pick<AccountLookup, "known" | "knownBot" | "authenticate" | "ofBotKey">

/** Undefined where only `findAccount` can tell. */
export const knownAccount = (
  accounts: Pick<AccountFinding, "known" | "knownBot">,
  { host, authorization, botKey }: RequestSignature,
): Checked<FoundAccount> | undefined =>
  botKey === undefined ? accounts.known(host, authorization) : accounts.knownBot(host, botKey)

/** The same, where it may have to wait for the organization to be loaded. */
export const findAccount = (
  accounts: AccountFinding,
  signature: RequestSignature,
): Effect.Effect<FoundAccount, ApiError | Unavailable> => {
  const { host, authorization, botKey } = signature
  const known = knownAccount(accounts, signature)
  if (known !== undefined) return Effect.fromResult(known)
  if (botKey !== undefined) return accounts.ofBotKey(host, botKey)
  return Effect.flatMap(Effect.fromResult(readBasic(authorization)), ({ email, key }) =>
    accounts.authenticate(host, email, key),
  )
}
