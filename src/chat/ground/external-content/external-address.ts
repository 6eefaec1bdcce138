/**
 * The addresses under which this server shows pictures of others, `/external_content/{hmac}/{hex of the URL}`: so that
 * a message does not tell other servers who reads it, and pictures of http pages show in pages of https (what is called
 * a camo proxy). The HMAC is the permission: only addresses that this server has made are fetched, so nobody can use it
 * as a proxy. Another secret makes all of them void.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { longestUrl } from "../outbound/url-limit.ts"

export const externalPrefix = "/external_content/"
/** 160 bits. */
const macLength = 40

/** The key that addresses are made with: one of its own, so that it may be given to the renderer. */
export const externalKey = (secret: string): string =>
  createHmac("sha256", secret).update("external content").digest("base64url")

const macOf = (key: string, url: string): string =>
  createHmac("sha256", key).update(url).digest("hex").slice(0, macLength)

/** `url`: of `longestUrl` characters at most, else its address is answered with nothing. */
export const externalAddress = (key: string, url: string): string =>
  `${externalPrefix}${macOf(key, url)}/${Buffer.from(url).toString("hex")}`

const externalPathPattern = /^([0-9a-f]{40})\/((?:[0-9a-f]{2})+)$/

/** The URL of an address that this server has made; undefined for others. */
export const readExternalAddress = (key: string, path: string): string | undefined => {
  const rest = path.startsWith(externalPrefix) ? path.slice(externalPrefix.length) : ""
  const [, mac, hex = ""] = rest.length > macLength + 1 + 2 * longestUrl ? [] : (externalPathPattern.exec(rest) ?? [])
  if (mac === undefined) return undefined
  const url = Buffer.from(hex, "hex").toString()
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, url))) ? url : undefined
}
