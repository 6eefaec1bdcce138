/**
 * Whose request it is, as far as it is known without waiting: by this name its body and its turn are counted before it
 * is handled. Used by receive-request.ts and socket-endpoint.ts.
 */
import * as Result from "effect/Result"
import { requesterName } from "../../api/endpoint.ts"
import type { AccountLookup } from "./account-lookup.ts"
import { knownAccount, type RequestSignature } from "./find-account.ts"

/** An account or, where none is known, an address. */
export interface RequestSender {
  readonly who: string
  readonly isAccount: boolean
}

export const senderOf = (
  accounts: Pick<AccountLookup, "known" | "knownBot">,
  signature: RequestSignature,
  address: () => string,
): RequestSender => {
  const account = knownAccount(accounts, signature)
  return account !== undefined && Result.isSuccess(account)
    ? { who: requesterName(account.success), isAccount: true }
    : { who: address(), isAccount: false }
}
