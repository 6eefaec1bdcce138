/**
 * Who is signed in: an address and an API key, kept in the browser. There is no cookie, so no other page can use it; it ends by
 * signing out here, or everywhere by a new key.
 */
import type { Account } from "../../client/index.ts"
import { hasFields, keep, keptValue } from "./kept.ts"

const isAccount = (value: unknown): value is Account =>
  hasFields(value, "email", "apiKey") && typeof value.email === "string" && typeof value.apiKey === "string"

export const keptAccount = (): Account | null => keptValue("account", isAccount)
export const keepAccount = (account: Account | null): void =>
  keep("account", account === null ? null : JSON.stringify(account))
