/**
 * Who is signed in: an address and an API key, kept in the browser. There is no cookie, so no other page can use it; it ends by
 * signing out here, or everywhere by a new key.
 */
import type { Account } from "../../client/index.ts"
import { hasFields, listenToStorage, storedNames, storedText, storedValue, storeText } from "./browser-storage.ts"

const isAccount = (value: unknown): value is Account =>
  hasFields(value, "email", "apiKey") && typeof value.email === "string" && typeof value.apiKey === "string"

/** Why the server has signed somebody out: their key is good no more, or their account is deactivated. */
export type WhyLeft = "key" | "deactivated"

const isWhy = (value: unknown): value is WhyLeft => value === "key" || value === "deactivated"

/** Null for whoever has signed out by themselves, or never was in. */
export const whyLeft = (): WhyLeft | null => storedValue("left", isWhy)

export const keptAccount = (): Account | null => storedValue("account", isAccount)
/** Somebody signs in. `settleIn` follows when it is known who they are, be it after the page was loaded again. */
export const keepAccount = (account: Account): void => {
  storeText("isNew", "true")
  storeText("left", null)
  storeText("account", JSON.stringify(account))
}

const written = (): ReadonlyArray<string> => [
  ...storedNames("typed."),
  ...storedNames("edit."),
  ...storedNames("outbox."),
]

/** The key is good no more. What was typed and waits stays: whoever signs in again has it. */
export const forgetKey = (): void => storeText("account", null)

/** As `forgetKey`, of this account only: another tab may have signed in since. */
export const forgetKeyOf = (account: Account, why: WhyLeft): void => {
  if (JSON.stringify(keptAccount()) !== JSON.stringify(account)) return
  // Said before, for other tabs look when the account goes.
  storeText("left", JSON.stringify(why))
  forgetKey()
}

/** Signed out: nothing stays in the browser, neither what was typed nor what waits to be sent. */
export const forgetAll = (): void => {
  for (const name of written()) storeText(name, null)
  storeText("left", null)
  forgetKey()
}

/** Whoever has signed in, and not only come back: what another has left here goes. */
export const settleIn = (user: number): void => {
  if (storedText("isNew") === null) return
  for (const name of written()) if (name.split(".")[1] !== String(user)) storeText(name, null)
  storeText("isNew", null)
}

/** How many messages are not known to be sent, by whatever tab. They are of one account: signing in forgets others'. */
export const unsent = (): number => storedNames("outbox.").length

/** Signed out in another tab, or somebody else has signed in there. Answers how to stop listening. */
export const onSignedOut = (account: Account, told: () => void): (() => void) =>
  listenToStorage((name, text) => {
    if (name === "account" && text !== JSON.stringify(account)) told()
  })
