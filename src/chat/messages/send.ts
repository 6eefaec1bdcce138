/**
 * POST /messages: from a request to one row of the log. The content is rendered first, because that may take a while.
 * Permissions are checked when the writer forms its batch. The SQL function checks under the lock what only the
 * database knows: whether this is a retry, and whether the conversation exists.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Config, type Limits } from "../../config.ts"
import { Database } from "../../db/database.ts"
import { type Caller, data, userEndpoint } from "../../endpoint.ts"
import { type ApiError, badRequest, missingVariable } from "../../errors.ts"
import { toUsers } from "../../events/audience.ts"
import { type Command, call, type Judgement, refused } from "../../events/command.ts"
import { userSet } from "../../events/event.ts"
import { MessageId } from "../../ids.ts"
import { alias, anyLength, boolean, check, choice, json, jsonOrText, optional, text } from "../../params.ts"
import { bounded, either, integer, list, string } from "../../shapes.ts"
import { type ClaimedFile, FileClaims } from "../files/file-claims.ts"
import { Thumbnails } from "../files/thumbnails.ts"
import { type Parts, partsOf } from "../markdown/parts.ts"
import { LinkedPages } from "../markdown/previews/linked-pages.ts"
import { renderMessage } from "../markdown/render-message.ts"
import { prepareTopicLinks, topicLinks } from "../markdown/topic-links.ts"
import { subscriberAudience } from "../permissions/sight.ts"
import { apiEmail } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { cut, fold } from "../realm/values.ts"
import { requireActor } from "../requester/actor.ts"
import { Id } from "../wire/wire-values.ts"
import { channelRows } from "./channel-rows.ts"
import {
  channelOf,
  type Destination,
  longestAddresses,
  mayBeginConversation,
  mostNamed,
  peopleOf,
  requireChannelToPost,
  requireDirectMessages,
  requirePeople,
  requireTopic,
} from "./destination.ts"
import { fileLinks, readsChannel } from "./file-links.ts"
import { type Marking, requireMarks } from "./mentions.ts"
import { prepareMarking } from "./prepare-marking.ts"
import { type Echo, readOutcome, recall, type Sent } from "./send-outcome.ts"
import { policiesBySend } from "./topic-policies.ts"
import { findWidget, longestWidget, type Widget, widgetContentShape } from "./widgets.ts"

/** Clients in which people type; a message sent by one is read by its sender (contract 6.4). */
const readingClients: ReadonlySet<string> = new Set(
  "zulipandroid zulipios zulipdesktop zulipmobile zulipelectron zulipterminal snipe website ios android".split(" "),
)
const readByDefault = (client: string): boolean => {
  const name = client.toLowerCase()
  return readingClients.has(name) || name.includes("desktop app")
}

/** The parsed request, before permissions are checked. */
interface Unsent extends Destination {
  readonly content: string
  readonly readBySender: boolean
  /** The parameter `widget_content`. */
  readonly widget?: Widget | undefined
  /** The key by which a retry is recognised; null: the client gave none. */
  readonly echo: Echo | null
}

const toShape = either(
  either(bounded({ max: longestAddresses }), integer, ""),
  list(either(string, integer, ""), mostNamed),
  "is not a string, an integer, or a list of either",
)

const byteOrderMark = "\uFEFF"
const isLineEnd = (text: string, at: number): boolean =>
  text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n")

/** Where the first line begins that is not blank. A regular expression takes 20 ms for a megabyte of blank lines. */
const firstLine = (text: string): number => {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\n") start = at + 1
    else if (text[at] !== " " && text[at] !== "\t" && text[at] !== byteOrderMark && !isLineEnd(text, at)) break
  }
  return start
}

/** Strips leading blank lines and trailing space, and byte order marks, which a database may drop. */
export const readContent = (raw: string, limits: Limits): Result.Result<string, ApiError> => {
  const trimmed = raw
    .slice(firstLine(raw))
    .replace(/^\uFEFF+/, "")
    .trimEnd()
  return trimmed === ""
    ? Result.fail(badRequest("Message must not be empty"))
    : Result.succeed(cut(trimmed, limits.maxMessageLength, "\n[message truncated]"))
}

/** A message that is rendered, and of which it is known whom it may mark. */
interface Send extends Unsent {
  readonly rendered: string
  readonly parts: Parts
  readonly marking: Marking
  readonly files: ReadonlyArray<ClaimedFile>
}

const senderFields = (realm: Realm, sender: UserRecord) => ({
  id: sender.id,
  email: apiEmail(realm, sender),
  full_name: sender.full_name,
  avatar_version: sender.avatar_version,
})

const linksOf = (realm: Realm, topic: string) => {
  const links = topicLinks(realm, topic)
  return links.length === 0 ? {} : { topic_links: links }
}

const judgeChannel = (realm: Realm, sender: UserRecord, send: Send, limits: Limits) =>
  Result.gen(function* () {
    const channel = yield* requireChannelToPost(realm, sender, yield* channelOf(send.to))
    if (send.topic === undefined) return yield* Result.fail(badRequest("Missing topic"))
    const topic = yield* requireTopic(realm, channel, send.topic, limits.maxTopicLength)
    const receivers = realm.subscribers(channel.id)
    const marked = yield* requireMarks(realm, sender, channel, receivers, send.marking)
    const { marks, bots } = marked
    const audience = subscriberAudience(channel)
    const fields = {
      channel_id: channel.id,
      topic,
      topic_folded: fold(topic),
      audience: bots.length === 0 ? audience : { ...audience, also: bots },
      ...(bots.length === 0 ? {} : { bots }),
      payload: { channel: { id: channel.id, name: channel.name, topic, ...linksOf(realm, topic) }, ...marks },
    }
    const links = fileLinks(send.files, (owner) => readsChannel(realm, channel, owner))
    const policies = policiesBySend(realm, sender, channel, marked)
    return { ...fields, ...links, ...policies, ...channelRows(realm, channel, channel.first_message_id === null) }
  })

const judgePeople = (realm: Realm, sender: UserRecord, send: Send) =>
  Result.gen(function* () {
    const people = yield* requirePeople(realm, sender, yield* peopleOf(send.to))
    yield* requireDirectMessages(realm, sender, people)
    const ids = people.map((user) => user.id)
    const { marks } = yield* requireMarks(realm, sender, null, userSet(ids), send.marking)
    const fields = {
      member_key: ids.join(","),
      may_begin: mayBeginConversation(realm, sender, people),
      audience: toUsers(ids),
      payload: {
        people: people.map((user) => ({ id: user.id, email: apiEmail(realm, user), full_name: user.full_name })),
        ...marks,
      },
      ...fileLinks(send.files, (owner) => ids.includes(owner)),
    }
    return fields
  })

const wireEcho = ({ queueId, localId, digest }: Echo) => ({ queue_id: queueId, local_id: localId, digest })

const judge = (realm: Realm, caller: Caller, send: Send, limits: Limits): Judgement<Sent> => {
  const planned = Result.gen(function* () {
    const sender = yield* requireActor(realm, caller)
    const fields = yield* send.type === "channel"
      ? judgeChannel(realm, sender, send, limits)
      : judgePeople(realm, sender, send)
    return { sender, fields }
  })
  if (Result.isFailure(planned)) return refused(planned.failure)
  const { sender, fields } = planned.success
  const common = {
    sender: senderFields(realm, sender),
    client: caller.client,
    read_by_sender: send.readBySender,
    ...(send.widget === undefined ? {} : { widget: JSON.stringify(send.widget) }),
  }
  const widget = common.widget ?? findWidget(send.content)
  const args = {
    ...fields,
    payload: { ...common, ...fields.payload },
    sender_id: sender.id,
    content: send.content,
    rendered: send.rendered,
    ...send.parts,
    client: caller.client,
    read_by_sender: send.readBySender,
    ...(widget === undefined ? {} : { widget }),
    ...(send.echo === null ? {} : wireEcho(send.echo)),
  }
  return call("send_messages_v5", args, "first_row" in fields || "active_row" in fields, readOutcome)
}

const longestEchoKey = 255

/** One half of a retry's key. Its length is limited because the key is an index entry. Empty is the same as absent. */
const echoKey = (name: string) =>
  check(optional(text(name)), (key) =>
    key !== undefined && key.length > longestEchoKey
      ? `${name} is too long (limit: ${longestEchoKey} characters)`
      : undefined,
  )

/** Sends a message. Answers when this process has applied the commit, so that its sender can read it at once. */
export const sendMessage = Effect.fnUntraced(function* (caller: Caller, unsent: Unsent) {
  const realms = yield* Realms
  const { realm } = yield* realms.get(caller.realm)
  yield* prepareTopicLinks(realm)
  const { html: rendered, mentions, linking } = yield* renderMessage(caller, unsent.content)
  const marking = yield* prepareMarking(caller, unsent, { content: unsent.content, mentions })
  const files = yield* (yield* FileClaims).find(caller, rendered)
  const send = { ...unsent, rendered, parts: partsOf(rendered), marking, files }
  const { limits } = yield* Config
  const database = yield* Database
  const { echo } = send
  const command: Command<Realm, Sent> = {
    judge: (realm) => judge(realm, caller, send, limits),
    ...(echo === null ? {} : { recall: () => recall(database, caller.realm, caller.user, echo) }),
  }
  const sent = yield* realms.submit(caller.realm, command)
  const id = MessageId(sent.id)
  if (files.length > 0) (yield* Thumbnails).note(caller.realm, id, rendered)
  if (linking !== null) (yield* LinkedPages).note(caller.realm, caller.user, id, linking)
  return sent
})

export const postMessages = userEndpoint({
  method: "POST",
  path: "/messages",
  forWebhookBots: true,
  summary: "Sends a message to a channel or to people.",
  params: {
    type: choice("type", ["direct", "channel", "stream", "private"]),
    to: jsonOrText("to", toShape),
    content: text("content", anyLength),
    topic: optional(alias(text("topic", anyLength), "subject")),
    queueId: echoKey("queue_id"),
    localId: echoKey("local_id"),
    readBySender: optional(boolean("read_by_sender")),
    widget: optional(json("widget_content", widgetContentShape, { max: longestWidget })),
  },
  reply: Schema.Struct({
    id: Id,
    automatic_new_visibility_policy: Schema.optionalKey(Schema.Literals([2, 3])),
  }),
  errors: ["STREAM_DOES_NOT_EXIST", "REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, params) {
    const { limits } = yield* Config
    const content = yield* Effect.fromResult(readContent(params.content, limits))
    const { queueId = "", localId = "" } = params
    if (queueId !== "" && localId === "") return yield* Effect.fail(missingVariable("local_id"))
    const type = params.type === "direct" || params.type === "private" ? "direct" : "channel"
    const { to, topic, widget } = params
    const readBySender = params.readBySender ?? readByDefault(caller.client)
    // Of what is cut anyway the beginning is enough: a megabyte of escapes takes 40 ms.
    const compared = (text: string) => text.slice(0, 4 * limits.maxMessageLength)
    const digest = createHash("sha256")
      .update(
        JSON.stringify([
          type,
          to,
          topic === undefined ? null : compared(topic),
          compared(params.content),
          params.readBySender ?? null,
          params.widget ?? null,
        ]),
      )
      .digest("base64url")
    const echo = queueId === "" || localId === "" ? null : { queueId, localId, digest }
    const { id, policy } = yield* sendMessage(caller, { type, to, topic, content, readBySender, widget, echo })
    return data(policy === null ? { id } : { id, automatic_new_visibility_policy: policy })
  }),
})
