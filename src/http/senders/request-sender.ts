/**
 * Whose request it is, as far as it is known without waiting: by this name its body and its turn are counted before it
 * is handled. Used by receive.ts and socket.ts.
 */
import * as Result from "effect/Result"
import { requesterName } from "../../api/endpoint.ts"
import type { Accounts } from "./accounts.ts"
import { knownAccount, type Signature } from "./find-account.ts"

/** An account or, where none is known, an address. */
export interface Sender {
  readonly who: string
  readonly isAccount: boolean
}

export const senderOf = (
  accounts: Pick<Accounts, "known" | "knownBot">,
  signature: Signature,
  address: () => string,
): Sender => {
  const account = knownAccount(accounts, signature)
  return account !== undefined && Result.isSuccess(account)
    ? { who: requesterName(account.success), isAccount: true }
    : { who: address(), isAccount: false }
}
