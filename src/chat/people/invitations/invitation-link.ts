/**
 * The link of an invitation. It is made of the server's secret and of random bytes that are kept with the invitation, so it can
 * be shown and mailed again, and yet not be read out of the database: there is only its hash, by which it is found.
 */
import { createHmac, randomBytes } from "node:crypto"
import type { RealmId } from "../../../ids.ts"
import { accountLinkHash } from "../account-links/account-link.ts"

/** How the addresses of links begin, behind the server's. */
export const joinPrefix = "/join/"

const seedBytes = 32

const tokenOf = (secret: string, realm: RealmId, seed: string): string =>
  createHmac("sha256", secret).update(`invitation:${realm}:${seed}`).digest("base64url")

/** `origin`: the address that clients use to reach this server, without a trailing slash. */
export const invitationLinkOf = (secret: string, realm: RealmId, seed: string, origin: string): string =>
  `${origin}${joinPrefix}${tokenOf(secret, realm, seed)}`

export interface NewInvitationLink {
  readonly seed: string
  readonly link_hash: string
  readonly link: string
}

export const newInvitationLink = (secret: string, realm: RealmId, origin: string): NewInvitationLink => {
  const seed = randomBytes(seedBytes).toString("base64url")
  const token = tokenOf(secret, realm, seed)
  return { seed, link_hash: accountLinkHash(token), link: `${origin}${joinPrefix}${token}` }
}
