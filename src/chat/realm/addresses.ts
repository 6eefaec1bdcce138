/**
 * What anybody learns of a person's address (contract 3.1.6, 6.11). Only signing in asks for the real one as it is
 * stored; whatever is sent to clients, and every address that a client names somebody by, goes through here. A
 * hidden address can neither be read nor guessed: naming it answers as if nobody had it.
 */
import { createHash } from "node:crypto"
import { UserId } from "../../ids.ts"
import type { Realm } from "./realm.ts"
import type { UserRecord } from "./records.ts"
import { systemBots } from "./system-bots.ts"
import type { UserSettings } from "./user-settings.ts"
import { fold, type Role, roles } from "./values.ts"

/** Who looks; null: somebody without an account. */
export type Viewer = Pick<UserRecord, "id" | "role"> | null

type Host = Pick<Realm, "host">

/** The weakest role that may see the address; null: none. */
const weakestRole: Readonly<Record<UserSettings["email_address_visibility"], Role | null>> = {
  1: roles.guest,
  2: roles.member,
  3: roles.administrator,
  4: null,
  5: roles.moderator,
}

const visibleToEveryone = 1

/** Whether the address may be shown to each who is signed in. A bot's is no secret. */
const isOpen = ({ is_bot, settings }: UserRecord): boolean =>
  is_bot || settings.email_address_visibility === visibleToEveryone

export const maySeeAddress = (viewer: Viewer, user: UserRecord): boolean => {
  if (viewer === null) return false
  if (viewer.id === user.id || isOpen(user)) return true
  const weakest = weakestRole[user.settings.email_address_visibility]
  return weakest !== null && viewer.role <= weakest
}

/** Names anybody without giving their real address away. */
export const placeholderAddress = ({ host }: Host, user: Pick<UserRecord, "id">): string => `user${user.id}@${host}`

/** The id in a placeholder, whoever has it; undefined for any other address. Nobody's real address has this form. */
export const findPlaceholderId = ({ host }: Host, address: string): UserId | undefined => {
  const [, digits] = /^user([1-9]\d{0,15})@/i.exec(address) ?? []
  return digits !== undefined && fold(address) === fold(`user${digits}@${host}`) ? UserId(Number(digits)) : undefined
}

/** The one address of a person that is the same for every user: on messages, in indicators, in lists. */
export const apiEmail = (realm: Host, user: UserRecord): string =>
  isOpen(user) ? user.email : placeholderAddress(realm, user)

/** The real address for who may see it. */
export const deliveryEmail = (viewer: Viewer, user: UserRecord): string | null =>
  maySeeAddress(viewer, user) ? user.email : null

const md5 = (text: string) => createHash("md5").update(text.trim().toLowerCase()).digest("hex")

export const gravatarUrl = (address: string, version: number): string =>
  `https://secure.gravatar.com/avatar/${md5(address)}?d=identicon&version=${version}`

/** A picture made of an API address, as a user's own keys of register and the events about pictures state it. */
export const pictureOf = (address: string, version: number) => {
  const url = gravatarUrl(address, version)
  return { avatar_source: "G", avatar_url: url, avatar_url_medium: `${url}&s=500` } as const
}

/** A person as messages name them; `email` is their API address. */
export interface Shown {
  readonly id: UserId
  readonly email: string
  readonly avatar_version: number
}

/**
 * Avatars come from the gravatar service until people can upload their own; what is hashed is the API address, whoever
 * looks. A client that hashes itself gets null where it has that address, and the URL where it may have another one.
 */
export const avatarOf = ({ id, email, avatar_version }: Shown, clientHashes: boolean): string | null =>
  clientHashes && !email.startsWith(`user${id}@`) ? null : gravatarUrl(email, avatar_version)

export const avatarUrl = (realm: Host, user: UserRecord, clientHashes: boolean): string | null =>
  avatarOf({ ...user, email: apiEmail(realm, user) }, clientHashes)

/** Whom an address names to this viewer: a placeholder anybody, a real address only who lets them see it. */
export const findUserByAddress = (realm: Realm, viewer: Viewer, address: string): UserRecord | undefined => {
  const id = findPlaceholderId(realm, address)
  if (id !== undefined) return realm.users.get(id)
  const bot = systemBots(realm).find(({ email }) => fold(email) === fold(address))
  const user = bot ?? realm.findUserByEmail(address)
  return user !== undefined && maySeeAddress(viewer, user) ? user : undefined
}
