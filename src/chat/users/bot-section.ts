/**
 * The bots of an organization: which there are, and those that one may run, with their keys (section `realm_bot`,
 * contract 3.1.7). Administrators run all of them, everybody else their own.
 */
import type { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { keptFor } from "../kinds/section-text.ts"
import { mayRunBot } from "../permissions/permissions.ts"
import { apiEmail, avatarUrl } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { apiKey } from "../sign-in/sign-in.ts"

const keptIds = keptFor<ReadonlyArray<UserId>>(["realm_user"], 1)

const botIds = (realm: Realm): ReadonlyArray<UserId> =>
  keptIds(realm, "", () => [...realm.users.values()].filter((user) => user.is_bot).map((user) => user.id))

/** The ids of all bots, found when first asked for: only big channels need them. */
export const botsOf = (realm: Realm) => (): ReadonlyArray<UserId> => botIds(realm)

const wireBot = (realm: Realm, bot: UserRecord, secret: string): JsonObject => ({
  user_id: bot.id,
  full_name: bot.full_name,
  email: apiEmail(realm, bot),
  bot_type: bot.bot_type,
  is_active: realm.isActive(bot.id),
  api_key: apiKey(secret, realm.id, bot),
  owner_id: bot.bot_owner_id,
  avatar_url: avatarUrl(realm, bot, false),
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
  services: [],
})

/** `secret`: what API keys are derived from. */
export const botSection = (realm: Realm, user: UserRecord | null, secret: string): JsonObject => ({
  realm_bots: botIds(realm)
    .map((id) => realm.users.get(id))
    .filter((bot) => bot !== undefined)
    .filter((bot) => user !== null && mayRunBot(user, bot))
    .map((bot) => wireBot(realm, bot, secret)),
})
