/**
 * Has the people of the demo organization say and do what demo-conversations.ts says, and a service tell what demo-bots.ts says.
 * They ask the endpoints that everybody asks, so nothing is here that could not be there; a message is dated back to when it is
 * told to have been sent. What an interrupted start has done already is found done, but for votes: to vote for the same again
 * changes nothing.
 */
import * as Effect from "effect/Effect"
import { type Caller, dataReply, type Route } from "../../../api/endpoint.ts"
import type { ApiError } from "../../../api/errors.ts"
import type { SentUpload } from "../../../api/sent-request.ts"
import type { WebhookBody } from "../../../api/webhook-body.ts"
import { type RealmId, UserId } from "../../../ids.ts"
import { patchMessage } from "../../changing/message-edits/patch-message.ts"
import { postReaction } from "../../changing/reactions/reactions.ts"
import { postSubmessage } from "../../changing/submessages/submessages.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { postPresence } from "../../people/presence/presence.ts"
import { PresenceBook } from "../../people/presence/presence-book.ts"
import { postOwnStatus } from "../../people/user-status/user-status.ts"
import { postUserTopics } from "../../personal/user-topics/user-topics.ts"
import { postUpload } from "../../reading/attachments/upload.ts"
import { postFlags } from "../../reading/flags/flags.ts"
import { resolvedMark } from "../../reading/history/narrows/matcher.ts"
import { sendMessage } from "../../sending/messages/send-message.ts"
import { postExternal } from "../../sending/webhooks/post-external.ts"
import { buildsBot, type DemoDelivery, demoDeliveries } from "./demo-bots.ts"
import {
  type DemoLine,
  demoConversations,
  demoPresentUsers,
  demoStatuses,
  picturePlaceholder,
} from "./demo-conversations.ts"
import { drawBars } from "./demo-picture.ts"

const hour = 3_600_000

/** Dates what is made from now on back by so many milliseconds. */
export type DateBack = (ms: number) => void

/** The refusals of a reaction that is there, and of a topic that is called so. */
const isDone = ({ code, msg }: ApiError): boolean => code === "REACTION_ALREADY_EXISTS" || msg === "Nothing to change"

type RequestParams = Readonly<Record<string, string | number>>

/** Asks an endpoint as a client does. What was done already is no failure. */
const ask = <R>(
  route: Route<R>,
  who: Caller,
  fields: RequestParams,
  body: { readonly upload?: SentUpload; readonly webhook?: WebhookBody } = {},
) => {
  if (route.access !== "user") return Effect.die(new Error(`${route.path} is not asked by an account`))
  const source = new Map(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return Effect.catchTag(route.handle({ who, source, pathNames: new Set(), ...body }), "ApiError", (failure) =>
    isDone(failure) ? Effect.succeed({ reply: dataReply(), ignored: [] }) : Effect.fail(failure),
  )
}

/** What a service posts to the address that the bot has been set up with there. */
const deliver = ({ integration, event, delivery, channel, payload }: DemoDelivery, bot: Caller) =>
  ask(
    postExternal,
    bot,
    { integration, stream: channel },
    { webhook: { text: JSON.stringify(payload), fields: null, event, delivery } },
  )

const upload = Effect.fnUntraced(function* (who: Caller) {
  const bytes = drawBars()
  const parts = async function* () {
    yield bytes
  }
  const file = Effect.sync(() => ({ name: "messages.png", contentType: "image/png", bytes: parts() }))
  const { reply } = yield* ask(postUpload, who, {}, { upload: { declared: bytes.length, file, discard: Effect.void } })
  return reply._tag === "Data" ? String(reply.data["url"]) : ""
})

/** What others did with a message. */
const follow = Effect.fnUntraced(function* (
  realm: Realm,
  line: DemoLine,
  message: number,
  as: (email: string) => Caller,
) {
  const { reactions = [], votes = [], starredBy, mutedBy, resolvedBy, topic } = line
  for (const [who, emoji_name] of reactions) yield* ask(postReaction, as(who), { message_id: message, emoji_name })
  for (const [who, option] of votes) {
    const content = JSON.stringify({ type: "vote", key: `canned,${option}`, vote: 1 })
    yield* ask(postSubmessage, as(who), { message_id: message, msg_type: "widget", content })
  }
  if (starredBy !== undefined)
    yield* ask(postFlags, as(starredBy), { messages: `[${message}]`, op: "add", flag: "starred" })
  const channel = typeof line.to === "string" ? realm.findChannelByName(line.to) : undefined
  if (mutedBy !== undefined && channel !== undefined && topic !== undefined)
    yield* ask(postUserTopics, as(mutedBy), { stream_id: channel.id, topic, visibility_policy: 1 })
  if (resolvedBy !== undefined && topic !== undefined)
    yield* ask(patchMessage, as(resolvedBy), {
      message_id: message,
      topic: `${resolvedMark}${topic}`,
      propagate_mode: "change_all",
    })
})

export const liveDemo = Effect.fnUntraced(function* (id: RealmId, dateBack: DateBack) {
  const { realm } = yield* Effect.flatMap(Realms, (realms) => realms.get(id))
  const as = (email: string): Caller => {
    const account = realm.findUserByEmail(email)
    if (account === undefined) throw new Error(`the demo organization lacks ${email}`)
    return { realm: id, user: UserId(account.id), keyVersion: account.key_version, client: "Parley", origin: "" }
  }
  const coming = [...demoDeliveries]
  for (const [index, line] of demoConversations.entries()) {
    for (let next = coming[0]; next !== undefined && next.ago > line.ago; next = coming[0]) {
      dateBack(next.ago * hour)
      yield* deliver(next, as(buildsBot.email))
      coming.shift()
    }
    dateBack(line.ago * hour)
    const { from, to, topic, text } = line
    const content = text.includes(picturePlaceholder) ? text.replace(picturePlaceholder, yield* upload(as(from))) : text
    const sent = yield* sendMessage(as(from), {
      destination: { type: typeof to === "string" ? "channel" : "direct", to, topic },
      content,
      readBySender: true,
      widget: undefined,
      echo: { queueId: "demo", localId: String(index), digest: "demo" },
    })
    yield* follow(realm, line, sent.id, as)
  }
  dateBack(0)
  for (const [who, status_text, emoji_name] of demoStatuses)
    yield* ask(postOwnStatus, as(who), { status_text, emoji_name })
  for (const who of demoPresentUsers) yield* ask(postPresence, as(who), { status: "active", ping_only: "true" })
  // Who is there is stored now and then: a server that ends before would have made all but that.
  yield* (yield* PresenceBook).save
})
