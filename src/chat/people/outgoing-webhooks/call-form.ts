/** What is posted to the program behind an outgoing webhook, in both forms that there are. */
import type { JsonObject } from "../../../json.ts"
import type { BotService } from "../../ground/bot-settings/bot-settings.ts"
import type { PostBody } from "../../ground/outbound/one-request.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import type { BotCallPayload } from "../../sending/messages/bot-calls.ts"
import { wireMessage } from "../../sending/messages/wire-message.ts"
import type { CalledMessage } from "./called-message.ts"

/** The form of a call (`interface`) that Slack's outgoing webhooks have: only for channels. */
export const slackForm = 2

const asTyped = { rendered: false, gravatar: false, emptyTopicName: true }

const ownForm = (
  realm: Realm,
  bot: UserRecord,
  { token }: BotService,
  { message: id, trigger }: BotCallPayload,
  { stored, payload }: CalledMessage,
): JsonObject => ({
  bot_email: apiEmail(realm, bot),
  bot_full_name: bot.full_name,
  data: stored.content,
  message: {
    ...wireMessage(realm, id, stored.sent_at, payload, { raw: stored.content, rendered: stored.rendered }, asTyped),
    rendered_content: stored.rendered,
  },
  token,
  trigger,
})

const slackFields = (
  realm: Realm,
  bot: UserRecord,
  { token }: BotService,
  { trigger }: BotCallPayload,
  { stored, payload: { channel, sender } }: CalledMessage,
): ReadonlyArray<readonly [string, string]> => {
  const seconds = String(unixSeconds(stored.sent_at))
  return [
    ["token", token],
    ["team_id", `T${realm.id}`],
    ["team_domain", realm.host],
    ["channel_id", `C${channel?.id ?? ""}`],
    ["channel_name", channel?.name ?? ""],
    ["thread_ts", seconds],
    ["timestamp", seconds],
    ["user_id", `U${stored.sender_id}`],
    ["user_name", sender.full_name],
    ["text", stored.content],
    ["trigger_word", trigger],
    ["service_id", String(bot.id)],
  ]
}

export const postedTo = (
  realm: Realm,
  bot: UserRecord,
  service: BotService,
  call: BotCallPayload,
  message: CalledMessage,
): PostBody =>
  service.interface === slackForm
    ? {
        contentType: "application/x-www-form-urlencoded",
        body: new URLSearchParams(Object.fromEntries(slackFields(realm, bot, service, call, message))).toString(),
      }
    : { contentType: "application/json", body: JSON.stringify(ownForm(realm, bot, service, call, message)) }
