/**
 * Addresses of files that need no signed request for a short while (signed URLs), for clients that hand them to
 * something else. An address is a file's id and an end, signed with a key that is derived from the server's secret:
 * nothing is stored, and a new secret ends all.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

const lifetimeSeconds = 60

const prefix = "/user_uploads/temporary/"

/** The kind of reader that an address was given to: one of a visitor has their turns, not those of members. */
type Kind = "visitor" | undefined

const signature = (secret: string, realm: number, file: string, end: number): string =>
  createHmac("sha256", secret).update(`temporary-file:${realm}:${file}:${end}`).digest("base64url")

/** `now`: milliseconds since the Unix epoch. */
export const temporaryAddress = (
  secret: string,
  now: number,
  realm: number,
  { id, name }: { readonly id: number; readonly name: string },
  kind: Kind,
): string => {
  const end = Math.floor(now / 1000) + lifetimeSeconds
  const file = `${kind === "visitor" ? "v" : ""}${id}`
  return `${prefix}${file}.${end}.${signature(secret, realm, file, end)}/${encodeURIComponent(name)}`
}

const form = /^\/user_uploads\/temporary\/(v?\d{1,15})\.(\d{1,12})\.([\w-]{43})\/[^/]+$/

/** The id of the file at such an address, if it holds now; undefined for any other path. */
export const readTemporaryAddress = (secret: string, now: number, realm: number, path: string): number | undefined => {
  const [, file = "", end, given] = form.exec(path) ?? []
  if (given === undefined || Number(end) * 1000 < now) return undefined
  const right = signature(secret, realm, file, Number(end))
  return timingSafeEqual(Buffer.from(given), Buffer.from(right)) ? Number(file.replace("v", "")) : undefined
}
