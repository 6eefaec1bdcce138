/** What is posted to the program behind an outgoing webhook, and what its answer says; in both forms that there are. */

import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { JsonObject } from "../../../json.ts"
import { parseForeignJson } from "../../../json.ts"
import type { Service } from "../../ground/bot-settings/bot-settings.ts"
import type { Posted } from "../../ground/outbound/one-request.ts"
import { apiEmail } from "../../ground/realm/addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { unixSeconds } from "../../ground/realm/values.ts"
import type { BotCallPayload } from "../../sending/messages/bot-calls.ts"
import { wireMessage } from "../../sending/messages/wire-message.ts"
import type { CalledMessage } from "./called-message.ts"

/** The form of a call (`interface`) that Slack's outgoing webhooks have: only for channels. */
export const slackForm = 2

const asTyped = { rendered: false, gravatar: false, emptyTopicName: true }

const ownForm = (
  realm: Realm,
  bot: UserRecord,
  { token }: Service,
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
  { token }: Service,
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
  service: Service,
  call: BotCallPayload,
  message: CalledMessage,
): Posted =>
  service.interface === slackForm
    ? {
        contentType: "application/x-www-form-urlencoded",
        body: new URLSearchParams(Object.fromEntries(slackFields(realm, bot, service, call, message))).toString(),
      }
    : { contentType: "application/json", body: JSON.stringify(ownForm(realm, bot, service, call, message)) }

/** What the answer has the bot send; null: nothing. The failure is a reason for its owner. */
export const readAnswer = (form: Service["interface"], bytes: Uint8Array): Result.Result<string | null, string> => {
  const text = new TextDecoder().decode(bytes).trim()
  // As an answer without a body, of the status 204.
  if (text === "") return Result.succeed(null)
  const answer = parseForeignJson(text)
  if (!Predicate.isObject(answer)) return Result.fail("the answer was no JSON object")
  const fields: Readonly<Record<string, unknown>> = { ...answer }
  if (fields["response_not_required"] === true) return Result.succeed(null)
  const names = form === slackForm ? ["text"] : ["response_string", "content"]
  const content = names.map((name) => fields[name]).find((value) => value !== undefined && value !== null)
  if (content === undefined) return Result.succeed(null)
  return Predicate.isString(content) && content.isWellFormed() && !content.includes("\u0000")
    ? Result.succeed(content)
    : Result.fail("the content in the answer was no text")
}
