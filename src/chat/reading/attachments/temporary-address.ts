/**
 * Addresses of files that need no signed request for a short while (signed URLs), for clients that hand them to
 * something else. An address is a file's id, who asked for it and an end, signed with a key that is derived from the
 * server's secret: nothing is stored, and a new secret ends all. It opens what they may read when it is used.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { UserId } from "../../../ids.ts"

const lifetimeSeconds = 60

const prefix = "/user_uploads/temporary/"

/** The reader whom an address was given to; null for a visitor, whose address has their turns, not those of members. */
type Maker = UserId | null

const signature = (secret: string, realm: number, file: string, end: number): string =>
  createHmac("sha256", secret).update(`temporary-file:${realm}:${file}:${end}`).digest("base64url")

/** `now`: milliseconds since the Unix epoch. */
export const temporaryAddress = (
  secret: string,
  now: number,
  realm: number,
  { id, name }: { readonly id: number; readonly name: string },
  maker: Maker,
): string => {
  const end = Math.floor(now / 1000) + lifetimeSeconds
  const file = maker === null ? `v${id}` : `${id}u${maker}`
  return `${prefix}${file}.${end}.${signature(secret, realm, file, end)}/${encodeURIComponent(name)}`
}

const temporaryPathPattern =
  /^\/user_uploads\/temporary\/(v\d{1,15}|\d{1,15}u\d{1,10})\.(\d{1,12})\.([\w-]{43})\/[^/]+$/

/** The id of the file at such an address, and whom it was given to, if it holds now; undefined for any other path. */
export const readTemporaryAddress = (secret: string, now: number, realm: number, path: string) => {
  const [, file = "", end, given] = temporaryPathPattern.exec(path) ?? []
  if (given === undefined || Number(end) * 1000 < now) return undefined
  const right = signature(secret, realm, file, Number(end))
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(right))) return undefined
  const [id, user] = file.replace("v", "").split("u").map(Number)
  const maker: Maker = user === undefined ? null : UserId(user)
  return { id: id ?? 0, maker }
}
