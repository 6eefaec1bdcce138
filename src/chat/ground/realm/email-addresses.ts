/**
 * Which users see which address of a user. Every address that is sent to a client, and every address by which a client
 * names a user, goes through here; only signing in uses the stored address directly. A hidden address can neither be
 * read nor guessed: naming it answers as if no user had it.
 */
import { UserId } from "../../../ids.ts"
import { facePrefix } from "../faces/face-urls.ts"
import { fold, type Role, roles } from "./domain-values.ts"
import type { Realm } from "./realm.ts"
import type { UserRecord } from "./records.ts"
import type { UserSettings } from "./user-settings.ts"

/** The user who looks; null: a visitor without an account. */
export type Viewer = Pick<UserRecord, "id" | "role"> | null

type Host = Pick<Realm, "host">

/** The weakest role that may see the address, by its visibility; null: no role. */
const weakestRole: Readonly<Record<UserSettings["email_address_visibility"], Role | null>> = {
  1: roles.guest,
  2: roles.member,
  3: roles.administrator,
  4: null,
  5: roles.moderator,
}

const visibleToEveryone = 1

/** Whether every signed-in user may see the address. The address of a bot is never hidden. */
const isOpen = ({ is_bot, settings }: UserRecord): boolean =>
  is_bot || settings.email_address_visibility === visibleToEveryone

export const maySeeAddress = (viewer: Viewer, user: UserRecord): boolean => {
  if (viewer === null) return false
  if (viewer.id === user.id || isOpen(user)) return true
  const weakest = weakestRole[user.settings.email_address_visibility]
  return weakest !== null && viewer.role <= weakest
}

/** An address that names a user without revealing the real one. */
export const placeholderAddress = ({ host }: Host, user: Pick<UserRecord, "id">): string => `user${user.id}@${host}`

/** The name and the picture of people of whom a guest does not know. */
export const unknownName = "Unknown user"
export const unknownPicture = "/static/images/unknown-user-avatar.png"

/**
 * The id in a placeholder address, even if no user has it; undefined for other addresses. No account may use this form.
 */
export const findPlaceholderId = ({ host }: Host, address: string): UserId | undefined => {
  const [, digits] = /^user([1-9]\d{0,15})@/i.exec(address) ?? []
  return digits !== undefined && fold(address) === fold(`user${digits}@${host}`) ? UserId(Number(digits)) : undefined
}

/** The API address of a user. It is the same whoever looks: on messages, in typing indicators, in lists. */
export const apiEmail = (realm: Host, user: UserRecord): string =>
  isOpen(user) ? user.email : placeholderAddress(realm, user)

/** The real address; null if the viewer may not see it. */
export const deliveryEmail = (viewer: Viewer, user: UserRecord): string | null =>
  maySeeAddress(viewer, user) ? user.email : null

/** The address of a custom emoji's picture, on this server; faces/served-faces.ts serves it. */
export const emojiPictureUrl = (realm: { readonly id: number }, file: string): string =>
  `${facePrefix}${realm.id}/emoji/images/${file}`
