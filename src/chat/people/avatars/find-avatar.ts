/**
 * `/avatar/{id or address}`, and the same with `/medium` or `?s=` pixels behind: where the picture of a user is now. For
 * clients that leave pictures out of their records (`user_avatar_url_field_optional`), and for those that know an address
 * only. Whoever nobody is, and whom the reader may not know of, has a pattern like everybody without a picture.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { DownloadRedirect } from "../../../api/downloads.ts"
import type { Caller, Visitor } from "../../../api/endpoint.ts"
import { drawnUrl, medium, pictureOf } from "../../ground/faces/face-urls.ts"
import { faceSide } from "../../ground/images/face-sizes.ts"
import { findPersonNamed, isWholeId } from "../../ground/realm/acquaintance/find-user.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { apiEmail, placeholderAddress } from "../../ground/realm/email-addresses.ts"
import { requireReader } from "../../ground/requester/requester.ts"

export const avatarPrefix = "/avatar/"

const avatarPathPattern = /^([^/]{1,1000}?)(\/medium)?\/?$/
const pixels = /(?:^|&)s=(\d{1,5})(?:&|$)/

/** The text that is encoded in a path; undefined where none is. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The number whose pattern stands for an address that is nobody's, as far as the reader may know. */
const patternNumber = (address: string): number =>
  createHash("sha256").update(fold(address)).digest().readUInt32BE() % 1e9

export const findAvatar = Effect.fnUntraced(function* (who: Caller | Visitor, path: string, query: string) {
  const [, part, isMedium] = avatarPathPattern.exec(path.slice(avatarPrefix.length)) ?? []
  const name = part === undefined ? undefined : decoded(part)
  if (name === undefined) return null
  const { realm, user: viewer } = yield* requireReader(who)
  const isLarge = isMedium !== undefined || Number(pixels.exec(query)?.[1] ?? 0) > faceSide
  const user = findPersonNamed(realm, viewer, name)
  if (user === undefined) {
    const id = isWholeId(name) ? Number(name) : patternNumber(name)
    return { location: drawnUrl(realm, id, 1, isLarge ? medium : "") } satisfies DownloadRedirect
  }
  const email = viewer === null ? placeholderAddress(realm, user) : apiEmail(realm, user)
  const { avatar_url, avatar_url_medium } = pictureOf(realm, { ...user, email })
  return { location: isLarge ? avatar_url_medium : avatar_url } satisfies DownloadRedirect
})
