/**
 * Who is signed in: an address and an API key, kept in the browser. There is no cookie, so no other page can use it; it ends by
 * signing out here, or everywhere by a new key.
 */
import type { Account } from "../../client/index.ts"
import { hasFields, keep, keptNames, keptValue, listenToKept } from "./kept.ts"

const isAccount = (value: unknown): value is Account =>
  hasFields(value, "email", "apiKey") && typeof value.email === "string" && typeof value.apiKey === "string"

export const keptAccount = (): Account | null => keptValue("account", isAccount)
export const keepAccount = (account: Account): void => keep("account", JSON.stringify(account))

/** Of who was signed in nothing stays in the browser, neither what they typed nor what they sent. */
export const forgetAll = (): void => {
  for (const name of [...keptNames("typed."), ...keptNames("outbox."), "account"]) keep(name, null)
}

/** Signed out in another tab. Answers how to stop listening. */
export const onSignedOut = (told: () => void): (() => void) =>
  listenToKept((name, text) => {
    if (name === "account" && text === null) told()
  })
