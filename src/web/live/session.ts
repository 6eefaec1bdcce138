/**
 * Who is signed in: an address and an API key, kept in the browser. There is no cookie, so no other page can use it; it ends by
 * signing out here, or everywhere by a new key.
 */
import type { Account } from "../../client/index.ts"
import { hasFields, keep, kept, keptNames, keptValue, listenToKept } from "./kept.ts"

const isAccount = (value: unknown): value is Account =>
  hasFields(value, "email", "apiKey") && typeof value.email === "string" && typeof value.apiKey === "string"

export const keptAccount = (): Account | null => keptValue("account", isAccount)
/** Somebody signs in. `settleIn` follows when it is known who they are, be it after the page was loaded again. */
export const keepAccount = (account: Account): void => {
  keep("isNew", "true")
  keep("account", JSON.stringify(account))
}

const written = (): ReadonlyArray<string> => [...keptNames("typed."), ...keptNames("outbox.")]

/** The key is good no more. What was typed and waits stays: whoever signs in again has it. */
export const forgetKey = (): void => keep("account", null)

/** As `forgetKey`, of this account only: another tab may have signed in since. */
export const forgetKeyOf = (account: Account): void => {
  if (JSON.stringify(keptAccount()) === JSON.stringify(account)) forgetKey()
}

/** Signed out: nothing stays in the browser, neither what was typed nor what waits to be sent. */
export const forgetAll = (): void => {
  for (const name of written()) keep(name, null)
  forgetKey()
}

/** Whoever has signed in, and not only come back: what another has left here goes. */
export const settleIn = (user: number): void => {
  if (kept("isNew") === null) return
  for (const name of written()) if (name.split(".")[1] !== String(user)) keep(name, null)
  keep("isNew", null)
}

/** How many messages are not known to be sent, by whatever tab. They are of one account: signing in forgets others'. */
export const unsent = (): number => keptNames("outbox.").length

/** Signed out in another tab, or somebody else has signed in there. Answers how to stop listening. */
export const onSignedOut = (account: Account, told: () => void): (() => void) =>
  listenToKept((name, text) => {
    if (name === "account" && text !== JSON.stringify(account)) told()
  })
