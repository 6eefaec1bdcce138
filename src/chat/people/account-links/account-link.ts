/**
 * A link that is mailed: random bytes behind the address of its page. It is sent once and never made again, so the database has
 * only its hash, by which it is found.
 */
import { createHash, randomBytes } from "node:crypto"
import type { LinkPurpose } from "./account-link-kinds.ts"

/** The page of each, which begins and ends with a slash. */
export const linkPages: Readonly<Record<LinkPurpose, string>> = {
  password: "/accounts/password/reset/",
  email: "/accounts/confirm_new_email/",
}

const tokenBytes = 32

export const accountLinkHash = (token: string): string => createHash("sha256").update(token).digest("base64url")

export interface AccountLink {
  readonly url: string
  readonly hash: string
}

/** The random part of a link, and the hash by which it is found. */
export const newLinkToken = (): { readonly token: string; readonly hash: string } => {
  const token = randomBytes(tokenBytes).toString("base64url")
  return { token, hash: accountLinkHash(token) }
}

/** `origin`: the address that clients use to reach this server, without a trailing slash. */
export const newAccountLink = (purpose: LinkPurpose, origin: string): AccountLink => {
  const { token, hash } = newLinkToken()
  return { url: `${origin}${linkPages[purpose]}${token}`, hash }
}
