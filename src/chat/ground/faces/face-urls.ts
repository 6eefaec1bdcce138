/**
 * Where the pictures of people and of the organization are found. Every record that shows one has it from here, so that
 * they all agree. What was uploaded has an address with 128 random bits, because clients show pictures without signing the
 * request. Who has uploaded nothing has a pattern that this server draws of their id (drawn-pattern.ts); only where its
 * operator wants it, the picture that gravatar.com has for their API address.
 */
import { createHash } from "node:crypto"

/** The organization that a picture belongs to. */
export interface FaceRealm {
  readonly id: number
  readonly host: string
  /** Whether people without a picture have that of gravatar.com. */
  readonly usesGravatar: boolean
}

/** A user as pictures are found by; `email` is the API address. */
export interface AvatarOwner {
  readonly id: number
  readonly email: string
  readonly avatar_version: number
  /** The token of the uploaded picture; null or absent: there is none. */
  readonly avatar?: string | null
}

/** How the paths of all pictures begin that this server has of its organizations. */
export const facePrefix = "/user_avatars/"

const inRealm = ({ id }: Pick<FaceRealm, "id">, path: string): string => `${facePrefix}${id}/${path}`

/** The folders of files, and the part of the path that stands for what is drawn. */
export const facesFolder = "avatars"
export const realmFolder = "realm"
const drawnFolder = "drawn"

type Size = "" | "-medium"
/** What clients put before the ending of an address to get the larger picture. */
export const medium: Size = "-medium"

/** The pattern of an id, whether somebody has it or not. */
export const drawnUrl = (realm: Pick<FaceRealm, "id">, id: number, version = 1, size: Size = ""): string =>
  inRealm(realm, `${drawnFolder}/${id}${size}.png?version=${version}`)

const md5 = (text: string) => createHash("md5").update(text.trim().toLowerCase()).digest("hex")

export const gravatarUrl = (address: string, version: number): string =>
  `https://secure.gravatar.com/avatar/${md5(address)}?d=identicon&version=${version}`

const urlOf = (realm: FaceRealm, { id, email, avatar_version, avatar = null }: AvatarOwner, size: Size): string => {
  if (avatar !== null) return inRealm(realm, `${facesFolder}/${avatar}${size}.png?version=${avatar_version}`)
  if (!realm.usesGravatar) return drawnUrl(realm, id, avatar_version, size)
  return `${gravatarUrl(email, avatar_version)}${size === medium ? "&s=500" : ""}`
}

/** A picture as a user's own keys of register and the events about pictures state it. */
export const pictureOf = (realm: FaceRealm, shown: AvatarOwner) => ({
  avatar_source: (shown.avatar ?? null) === null ? ("G" as const) : ("U" as const),
  avatar_url: urlOf(realm, shown, ""),
  avatar_url_medium: urlOf(realm, shown, medium),
})

/**
 * The URL of a picture in the records of users and messages. A client that makes the addresses of gravatars itself gets
 * null for these, except for a hidden address: there it might hash another one.
 */
export const avatarOf = (realm: FaceRealm, shown: AvatarOwner, clientHashes: boolean): string | null => {
  const { id, email, avatar = null } = shown
  const isMadeThere = clientHashes && realm.usesGravatar && avatar === null && !email.startsWith(`user${id}@`)
  return isMadeThere ? null : urlOf(realm, shown, "")
}

/** The organization's icon. `token`: of the uploaded picture; empty: there is none. */
export const iconOf = (realm: FaceRealm, token: string) =>
  token === ""
    ? {
        icon_source: "G" as const,
        icon_url: realm.usesGravatar ? gravatarUrl(realm.host, 1) : inRealm(realm, `${drawnFolder}/icon.png`),
      }
    : { icon_source: "U" as const, icon_url: inRealm(realm, `${realmFolder}/${token}.png`) }

/** Its logo, for light or for dark themes; likewise. */
export const logoOf = (realm: Pick<FaceRealm, "id">, token: string) =>
  token === ""
    ? { source: "D" as const, url: inRealm(realm, `${drawnFolder}/logo.png`) }
    : { source: "U" as const, url: inRealm(realm, `${realmFolder}/${token}.png`) }
