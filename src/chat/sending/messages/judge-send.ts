/**
 * Judges a send: whether it may be sent, and the arguments of send_messages_v5 that sends it. This runs for each message of a
 * batch, while everybody else's wait. Its objects are literals whose keys are all there, because JSON leaves out what is
 * undefined, and putting them together from parts took longer than all checks.
 */
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import type { Limits } from "../../../config/config.ts"
import { type Audience, toUsers } from "../../../events/audience.ts"
import { call, type Judgement, refused } from "../../../events/command.ts"
import { userSet } from "../../../events/event.ts"
import type { NewCalls, NewRow, StepsCall } from "../../../events/step.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import type { ClaimedFile } from "../../ground/files/file-claims.ts"
import { beginsContact, conversationRows } from "../../ground/permissions/acquaintance-rows.ts"
import { subscriberAudience } from "../../ground/permissions/channel-visibility.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import type { ContentKinds } from "../../text/markdown/content-kinds.ts"
import { topicLinks } from "../../text/markdown/topic-links.ts"
import { policiesBySend } from "./automatic-topic-policies.ts"
import { type BotCall, calledByDirect, calledByMention, callSteps } from "./bot-calls.ts"
import { type ChannelRows, channelRows } from "./channel-rows.ts"
import {
  channelOf,
  type Destination,
  mayBeginConversation,
  peopleOf,
  requireChannelToPost,
  requireDirectMessages,
  requirePeople,
  requireTopic,
} from "./destination.ts"
import { fileLinks, readsChannel } from "./file-links.ts"
import { judgeMarks, type MarkCandidates } from "./mark-candidates.ts"
import type { MessageMarks } from "./message-marks.ts"
import { readMeeting, readOutcome, type SendEcho, type SendResult } from "./send-outcome.ts"
import { findWidget, type Widget } from "./widgets.ts"
import { type MessagePayload, senderOf } from "./wire-message.ts"

/** A message that is rendered, and of which it is known whom it may mark. */
export interface PreparedMessage {
  readonly destination: Destination
  readonly content: string
  readonly readBySender: boolean
  /** The parameter `widget_content`. */
  readonly widget: Widget | undefined
  /** The key by which a retry is recognised; null: the client gave none. */
  readonly echo: SendEcho | null
  readonly rendered: string
  readonly parts: ContentKinds
  readonly marking: MarkCandidates
  readonly files: ReadonlyArray<ClaimedFile>
}

/** The part of a call that follows from the place. `channel`, `people` and `message-marks` go into the message's payload. */
interface SendTarget {
  readonly audience: Audience
  readonly channel: MessagePayload["channel"] | undefined
  readonly people: MessagePayload["people"] | undefined
  readonly marks: MessageMarks | undefined
  readonly channel_id: ChannelId | undefined
  readonly topic: string | undefined
  readonly topic_folded: string | undefined
  readonly bots: ReadonlyArray<UserId> | undefined
  readonly member_key: string | undefined
  readonly may_begin: boolean | undefined
  readonly links: Partial<ReturnType<typeof fileLinks>>
  readonly policies: ReturnType<typeof policiesBySend>
  readonly rows: ChannelRows
  /** What limited guests must know before the message: people with whom their conversation begins. */
  readonly met: ReadonlyArray<NewRow>
  /** A guest comes to know somebody by a conversation. */
  readonly isMeeting: boolean
  /** Programs elsewhere that are told of it. */
  readonly called: ReadonlyArray<BotCall>
}

const noMet: ReadonlyArray<NewRow> = []

const placeInChannel = (
  realm: Realm,
  sender: UserRecord,
  send: PreparedMessage,
  limits: Limits,
): Checked<SendTarget> => {
  const to = channelOf(send.destination.to)
  if (Result.isFailure(to)) return Result.fail(to.failure)
  const found = requireChannelToPost(realm, sender, to.success)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const channel = found.success
  if (send.destination.topic === undefined) return Result.fail(badRequest("Missing topic"))
  const accepted = requireTopic(realm, channel, send.destination.topic, limits.maxTopicLength)
  if (Result.isFailure(accepted)) return Result.fail(accepted.failure)
  const topic = accepted.success
  const marked = judgeMarks(realm, sender, channel, realm.subscribers(channel.id), send.marking)
  if (Result.isFailure(marked)) return Result.fail(marked.failure)
  const { marks, bots } = marked.success
  const audience = subscriberAudience(channel)
  const links = topicLinks(realm, topic)
  const { id, name } = channel
  return Result.succeed({
    audience: bots.length === 0 ? audience : { ...audience, also: bots },
    channel: links.length === 0 ? { id, name, topic } : { id, name, topic, topic_links: links },
    people: undefined,
    marks,
    channel_id: id,
    topic,
    topic_folded: fold(topic),
    bots: bots.length === 0 ? undefined : bots,
    member_key: undefined,
    may_begin: undefined,
    links: fileLinks(send.files, (owner) => readsChannel(realm, channel, owner)),
    policies: policiesBySend(realm, sender, channel, marked.success),
    rows: channelRows(realm, channel, channel.first_message_id === null),
    met: noMet,
    isMeeting: false,
    called: calledByMention(realm, sender, channel, send.marking.mentions),
  })
}

const noRows: ChannelRows = {}

const placeAmongPeople = (realm: Realm, sender: UserRecord, send: PreparedMessage): Checked<SendTarget> => {
  const to = peopleOf(send.destination.to)
  if (Result.isFailure(to)) return Result.fail(to.failure)
  const found = requirePeople(realm, sender, to.success)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const people = found.success
  const allowed = requireDirectMessages(realm, sender, people)
  if (Result.isFailure(allowed)) return Result.fail(allowed.failure)
  const ids = people.map(({ id }) => id)
  const marked = judgeMarks(realm, sender, null, userSet(ids), send.marking)
  if (Result.isFailure(marked)) return Result.fail(marked.failure)
  return Result.succeed({
    audience: toUsers(ids),
    channel: undefined,
    people: people.map((user) => ({ id: user.id, email: apiEmail(realm, user), full_name: user.full_name })),
    marks: marked.success.marks,
    channel_id: undefined,
    topic: undefined,
    topic_folded: undefined,
    bots: undefined,
    member_key: ids.join(","),
    may_begin: mayBeginConversation(realm, sender, people),
    links: fileLinks(send.files, (owner) => ids.includes(owner)),
    policies: {},
    rows: noRows,
    met: conversationRows(realm, people),
    isMeeting: beginsContact(realm, people),
    called: calledByDirect(realm, sender, people),
  })
}

/**
 * What send_messages_v5 is given, where the message may be sent, with the rows before it and the steps behind it; `changesRules`
 * as in a call.
 */
export const planSend = (realm: Realm, caller: Caller, send: PreparedMessage, limits: Limits) => {
  const actor = requireActor(realm, caller)
  if (Result.isFailure(actor)) return Result.fail(actor.failure)
  const sender = actor.success
  const found =
    send.destination.type === "channel"
      ? placeInChannel(realm, sender, send, limits)
      : placeAmongPeople(realm, sender, send)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const place = found.success
  const { content, rendered, parts, readBySender, echo } = send
  const { client } = caller
  const widget = send.widget === undefined ? undefined : JSON.stringify(send.widget)
  const args = {
    sender_id: sender.id,
    channel_id: place.channel_id,
    topic: place.topic,
    topic_folded: place.topic_folded,
    member_key: place.member_key,
    may_begin: place.may_begin,
    audience: place.audience,
    bots: place.bots,
    payload: {
      sender: senderOf(sender, apiEmail(realm, sender)),
      client,
      read_by_sender: readBySender,
      widget,
      channel: place.channel,
      people: place.people,
      marks: place.marks,
    },
    content,
    rendered,
    has_link: parts.has_link,
    has_image: parts.has_image,
    has_attachment: parts.has_attachment,
    client,
    read_by_sender: readBySender,
    widget: widget ?? findWidget(content),
    files: place.links.files,
    file_row: place.links.file_row,
    policies: place.policies.policies,
    first_row: place.rows.first_row,
    active_row: place.rows.active_row,
    queue_id: echo?.queueId,
    local_id: echo?.localId,
    digest: echo?.digest,
  }
  const changesRules = args.first_row !== undefined || args.active_row !== undefined || place.isMeeting
  return Result.succeed({ args, changesRules, met: place.met, after: callSteps(place.called) })
}

type SendArgs = Result.Result.Success<ReturnType<typeof planSend>>["args"]

/**
 * A send behind rows that show its people to guests (whether there is anything to show is only known in the commit), and before
 * what has programs told of it.
 */
const judgeSteps = (
  args: SendArgs,
  met: ReadonlyArray<NewRow>,
  after: ReadonlyArray<NewCalls>,
  changesRules: boolean,
): Judgement<SendResult> => {
  const { sender_id, member_key, may_begin, queue_id, local_id } = args
  const steps: StepsCall = {
    guard: { fn: "may_meet_v1", args: { sender_id, member_key, may_begin, queue_id, local_id } },
    steps: [...met, { fn: "send_messages_v5", calls: [args], answers: true }, ...after],
  }
  return call("run_steps_v1", steps, changesRules, readMeeting)
}

/** `callsBots` is told whether programs are to be called behind the commit. */
export const judgeSend = (
  realm: Realm,
  caller: Caller,
  send: PreparedMessage,
  limits: Limits,
  callsBots: (calls: boolean) => void,
): Judgement<SendResult> => {
  const planned = planSend(realm, caller, send, limits)
  if (Result.isFailure(planned)) return refused(planned.failure)
  const { args, changesRules, met, after } = planned.success
  callsBots(after.length > 0)
  if (met.length + after.length > 0) return judgeSteps(args, met, after, changesRules || met.length > 0)
  return call("send_messages_v5", args, changesRules, readOutcome)
}
