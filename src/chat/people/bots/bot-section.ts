/** The section `realm_bot`: the bots that the requester may run, with their keys; and the record of one, as answers have it. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../json.ts"
import { SecretPiece } from "../../../json-pieces.ts"
import { botIds } from "../../channels/subscriptions/subscriber-fields.ts"
import { botSettingKeys, botSettings, wireBotSettings } from "../../ground/bot-settings/bot-settings.ts"
import { avatarOf } from "../../ground/faces/face-urls.ts"
import type { Section, SectionSource } from "../../ground/kinds/section.ts"
import { member } from "../../ground/kinds/section-text.ts"
import { mayRunBot } from "../../ground/permissions/permissions.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { apiKey } from "../../ground/sign-in/sign-in.ts"
import { AvatarUrl, BotType } from "../../ground/wire/wire-person.ts"
import { Address, ApiKey, Id } from "../../ground/wire/wire-values.ts"

/** `secret`: the server's secret, from which API keys are derived. */
export const wireBot = (realm: Realm, bot: UserRecord, secret: string): JsonObject => ({
  user_id: bot.id,
  full_name: bot.full_name,
  email: apiEmail(realm, bot),
  bot_type: bot.bot_type,
  is_active: realm.isActive(bot.id),
  api_key: apiKey(secret, realm.id, bot),
  owner_id: bot.bot_owner_id,
  avatar_url: avatarOf(realm, { ...bot, email: apiEmail(realm, bot) }, false),
  ...wireBotSettings(realm.part(botSettings).of(bot.id)),
})

export const botKeys = {
  user_id: Id,
  full_name: Schema.NonEmptyString,
  email: Address,
  bot_type: BotType,
  is_active: Schema.Boolean,
  api_key: ApiKey,
  /** null: the bot has no owner. */
  owner_id: Schema.NullOr(Id),
  avatar_url: AvatarUrl,
  ...botSettingKeys,
}

const Bot = Schema.Struct(botKeys).annotate({ identifier: "Bot" })

const botsOf = ({ realm, user, config }: SectionSource): ReadonlyArray<JsonObject> =>
  botIds(realm)
    .map((id) => realm.users.get(id))
    .filter((bot) => bot !== undefined)
    .filter((bot) => user !== null && mayRunBot(user, bot))
    .map((bot) => wireBot(realm, bot, config.secret))

export const botSection: Section = {
  name: "realm_bot",
  keys: { realm_bots: Schema.Array(Bot) },
  take: (source) => {
    const bots = botsOf(source)
    const text = member("realm_bots", bots)
    return [bots.length === 0 ? text : [new SecretPiece(Buffer.from(text))]]
  },
}
