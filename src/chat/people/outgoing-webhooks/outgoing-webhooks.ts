/**
 * Calls the programs behind outgoing webhooks, for the outbox: a message is posted to a bot's address, and what that answers the
 * bot sends to the same place. A program that cannot be reached is called again a few times, with growing waits; then, and at
 * once where another attempt would end the same, the bot's owner is told. A call may be repeated where the server ended in the
 * middle, but the bot sends only one answer to it (I9). Owners of bots take turns: two programs of one owner, and four of an
 * organization, are called at a time, so that whoever has some that do not answer delays nobody else's.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { isForNow } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config, outgoingAllowName } from "../../../config/config.ts"
import type { OutboxEntry } from "../../../jobs/outbox/outbox-entry.ts"
import { outboxKind } from "../../../jobs/outbox/outbox-kind.ts"
import { type BotService, botSettings } from "../../ground/bot-settings/bot-settings.ts"
import { type NotFetched, Outbound } from "../../ground/outbound/outbound.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { BotCallPayload, botCallName } from "../../sending/messages/bot-calls.ts"
import type { Destination } from "../../sending/messages/destination.ts"
import { readContent } from "../../sending/messages/prepare-send.ts"
import { sendMessage } from "../../sending/messages/send-message.ts"
import { refusalWords } from "../../sending/notices/refusal-words.ts"
import { prepareTopicLinks } from "../../text/markdown/topic-links.ts"
import { noteFailure } from "./call-failures.ts"
import { postedTo, slackForm } from "./call-form.ts"
import { showCalled } from "./called-message.ts"
import { findCalledMessage } from "./calls-store.ts"
import { readAnswer, type ToSay } from "./read-answer.ts"

const mostTries = 4
/** A call that comes later than this after its message is not made any more: nobody waits for the answer. */
const latestMilliseconds = 30 * 60_000
/** More than the longest message as JSON. */
const mostBytes = 128 * 1024

const noDirect = "Failure! Slack outgoing webhooks don't support direct messages."

/** Names the client of the answers. */
const client = "OutgoingWebhookResponse"

const reasons: Readonly<Record<NotFetched["why"], string>> = {
  address: `the address does not exist, or this server may not call it (${outgoingAllowName})`,
  connection: "the connection failed",
  answer: "the answer was refused",
  redirects: "too many redirects",
  size: "the answer was too large",
  time: "no answer came in time",
  busy: "this server calls too many programs at once",
}

const reasonOf = ({ why, status }: NotFetched): string =>
  status === undefined ? reasons[why] : `the answer had the status ${status}`

/** Whether another attempt may end otherwise. */
const mayPass = ({ why, status = 0 }: NotFetched): boolean =>
  why === "connection" || why === "time" || why === "busy" || status >= 500 || status === 429

type BotCallEntry = OutboxEntry<BotCallPayload>

/** Has the bot send what its program answered. Called again for the same entry, it sends nothing more. */
const answer = Effect.fnUntraced(function* (
  { id, realm, payload: { bot } }: BotCallEntry,
  record: UserRecord,
  place: Destination,
  { content: text, widget }: ToSay,
) {
  const { limits } = yield* Config
  const caller: Caller = { realm, user: bot, keyVersion: record.key_version, client, origin: "" }
  const echo = { queueId: client, localId: String(id), digest: client }
  const content = yield* Effect.fromResult(readContent(text, limits))
  yield* sendMessage(caller, { destination: place, content, readBySender: true, widget, echo })
})

const findService = (realm: Realm, bot: UserRecord | undefined): BotService | null =>
  bot === undefined || realm.isDeactivated || !realm.isActive(bot.id)
    ? null
    : realm.part(botSettings).of(bot.id).service

const callBot = Effect.fnUntraced(function* (entry: BotCallEntry) {
  const { payload } = entry
  const { realm } = yield* (yield* Realms).get(entry.realm)
  const stored = yield* findCalledMessage(entry.realm, payload.message)
  yield* prepareTopicLinks(realm)
  const bot = realm.users.get(payload.bot)
  const service = findService(realm, bot)
  // Deactivated since then, or the message is deleted: nobody is called.
  const message = bot === undefined || stored === null ? undefined : showCalled(realm, bot, stored)
  if (bot === undefined || service === null || message === undefined) return
  const fail = (why: string) => noteFailure(entry.realm, bot.id, why)
  if (payload.left_out === true) return yield* fail("so many calls of it waited that further ones were left out")
  if ((yield* Clock).now() > entry.dueAt + latestMilliseconds)
    return yield* fail("it could not be called for half an hour")
  const say = (toSay: ToSay) =>
    Effect.catchTag(answer(entry, bot, message.place, toSay), "ApiError", (refusal) =>
      isForNow(refusal.code) ? refusal : fail(`its answer could not be sent: ${refusalWords(refusal)}`),
    )
  if (service.interface === slackForm && message.place.type === "direct")
    return yield* say({ content: noDirect, widget: undefined })
  const outbound = yield* Outbound
  const called = yield* Effect.result(
    outbound.fetch(`bot ${bot.id} of realm ${entry.realm}`, {
      url: service.base_url,
      types: ["*/*"],
      mostBytes,
      isCut: false,
      post: postedTo(realm, bot, service, payload, message),
    }),
  )
  if (Result.isFailure(called)) {
    if (mayPass(called.failure) && entry.attempts < mostTries) return yield* called.failure
    return yield* fail(reasonOf(called.failure))
  }
  const toSay = readAnswer(service.interface, called.success.bytes)
  if (Result.isFailure(toSay)) return yield* fail(toSay.failure)
  if (toSay.success !== null) yield* say(toSay.success)
})

export const botCallKind = outboxKind({
  name: botCallName,
  payload: BotCallPayload,
  run: callBot,
  concurrency: 12,
  // A program that does not answer holds its call for ten seconds, and everybody can make bots with such programs.
  shares: { perOwner: 2, perRealm: 4 },
  // Ends of the server in the middle are no tries.
  mostAttempts: mostTries + 4,
  backOff: { firstMilliseconds: 2000, longestMilliseconds: 60_000 },
})
