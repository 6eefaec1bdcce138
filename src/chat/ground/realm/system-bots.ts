/**
 * The program's own bots (`cross_realm_bots`). Every organization has them. They have no account, cannot sign in and
 * are in no list of users.
 */
import { UserId } from "../../../ids.ts"
import { fold, roles } from "./domain-values.ts"
import type { Realm } from "./realm.ts"
import type { UserRecord } from "./records.ts"
import { defaultUserSettings } from "./user-settings.ts"

type Host = Pick<Realm, "host">

/** Their ids are far above those of accounts, which count from 1. */
const firstId = 2_000_000_001
const lastId = 2_000_000_002

const bot = ({ host }: Host, id: number, address: string, full_name: string): UserRecord => ({
  id: UserId(id),
  email: `${address}@${host}`,
  full_name,
  role: roles.member,
  is_bot: true,
  bot_type: 1,
  bot_owner_id: null,
  timezone: "",
  avatar_version: 1,
  avatar: null,
  key_version: 0,
  joined_at: 0,
  must_reset_password: false,
  settings: defaultUserSettings,
})

/** Tells channels and users about changes that others made. */
export const notificationBot = (realm: Host): UserRecord => bot(realm, firstId, "notification-bot", "Notification Bot")

/** Greets new accounts. */
export const welcomeBot = (realm: Host): UserRecord => bot(realm, lastId, "welcome-bot", "Welcome Bot")

export const systemBots = (realm: Host): ReadonlyArray<UserRecord> => [notificationBot(realm), welcomeBot(realm)]

/**
 * A user or a system bot: anybody who can be the sender of a message. It asks nobody whether they may know them, so it is for what
 * is stored already: an endpoint finds whom a request names by acquaintance/find-user.ts.
 */
export const findPerson = (realm: Host & Pick<Realm, "users">, id: UserId): UserRecord | undefined =>
  realm.users.get(id) ?? systemBots(realm).find((bot) => bot.id === id)

/** Whether it is a system bot, which has no account. */
export const isSystemBot = ({ id }: Pick<UserRecord, "id">): boolean => id >= firstId && id <= lastId

/** Whether it is the address of a system bot. No account may use one. */
export const isSystemAddress = (realm: Host, email: string): boolean =>
  systemBots(realm).some((bot) => fold(bot.email) === fold(email))
