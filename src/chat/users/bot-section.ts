import type { JsonObject } from "../../json.ts"
import { section } from "../kinds/section.ts"
import { mayRunBot } from "../permissions/permissions.ts"
import { apiEmail, avatarUrl } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { apiKey } from "../sign-in/sign-in.ts"
import { botIds } from "../subscriptions/subscriber-fields.ts"

/** `secret`: what API keys are derived from. */
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

export const botSection = section("realm_bot", ({ realm, user, config }) => ({
  realm_bots: botIds(realm)
    .map((id) => realm.users.get(id))
    .filter((bot) => bot !== undefined)
    .filter((bot) => user !== null && mayRunBot(user, bot))
    .map((bot) => wireBot(realm, bot, config.secret)),
}))
