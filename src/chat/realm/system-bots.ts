/**
 * Bots of the program itself (contract 3.1.6, `cross_realm_bots`). They are in every organization, are nobody's account,
 * sign in nowhere and stand in no list of people; messages of theirs are read like anybody's.
 */
import { UserId } from "../../ids.ts"
import type { Realm } from "./realm.ts"
import type { UserRecord } from "./records.ts"
import { defaultUserSettings } from "./user-settings.ts"
import { fold, roles } from "./values.ts"

type Host = Pick<Realm, "host">

/** Far above the ids of accounts, which count from 1. */
const notificationBotId = UserId(2_000_000_001)

/** Tells channels and people of what others did. */
export const notificationBot = ({ host }: Host): UserRecord => ({
  id: notificationBotId,
  email: `notification-bot@${host}`,
  full_name: "Notification Bot",
  role: roles.member,
  is_bot: true,
  bot_type: 1,
  bot_owner_id: null,
  timezone: "",
  avatar_version: 1,
  key_version: 0,
  joined_at: 0,
  must_reset_password: false,
  settings: defaultUserSettings,
})

export const systemBots = (realm: Host): ReadonlyArray<UserRecord> => [notificationBot(realm)]

/** Anybody who can have written a message. */
export const findPerson = (realm: Host & Pick<Realm, "users">, id: UserId): UserRecord | undefined =>
  realm.users.get(id) ?? systemBots(realm).find((bot) => bot.id === id)

/** Whether a person is one of them, who are nobody's account. */
export const isSystemBot = ({ id }: Pick<UserRecord, "id">): boolean => id === notificationBotId

/** No account may have the address of one. */
export const isSystemAddress = (realm: Host, email: string): boolean =>
  systemBots(realm).some((bot) => fold(bot.email) === fold(email))
