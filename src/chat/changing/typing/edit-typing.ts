/**
 * POST /messages/{message_id}/typing: somebody types a new content of their message. As in typing.ts, with an indicator
 * for each message. It ends by a stop, by itself after the same time, and when the message is edited, moved or deleted.
 * Who may edit the content may tell of it, and those who hold the message hear of it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, type RequestFailure } from "../../../api/errors.ts"
import { choice, id } from "../../../api/params.ts"
import { emptyUserSet, type LogRow, type UserSet, userSet } from "../../../events/event.ts"
import { MessageId, UserId } from "../../../ids.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { privacyAtRow } from "../../ground/permissions/channel-visibility.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { holdersOf, requireEditable } from "../message-edits/edit-content.ts"
import { findMessageWithText } from "../message-edits/found-message.ts"
import { EditTypingPayload, editTypingKind } from "./edit-typing-event.ts"
import { type IndicatorKind, makeIndicators } from "./typing-indicators.ts"
import type { TypingOp } from "./typing-machine.ts"

type EditedMessage = Effect.Success<ReturnType<typeof findMessageWithText>>

const requireEditTyping = (
  realm: Realm,
  typist: UserRecord,
  op: TypingOp,
  message: MessageId,
  found: EditedMessage,
): Checked<EditTypingPayload> =>
  Result.gen(function* () {
    const edit = { message, content: "", previous: undefined }
    const { place, text, channel } = yield* requireEditable(realm, typist, found, edit)
    const { send_stream_typing_notifications: inChannels, send_private_typing_notifications: toPeople } =
      typist.settings
    if (channel === undefined ? !toPeople : !inChannels)
      return yield* Result.fail(
        badRequest(
          `User has disabled typing notifications for ${channel === undefined ? "direct" : "channel"} messages`,
        ),
      )
    const people = () => [...holdersOf(realm, place)].sort((a, b) => a - b).map(UserId)
    const named: EditTypingPayload["place"] =
      channel === undefined
        ? { people: people() }
        : { channel: channel.id, topic: text.topic, since: place.channel_since ?? 0 }
    return { op, sender_id: typist.id, message_id: message, place: named }
  })

/** Those who hold the message now, but for those who left or do not want indicators; nobody in a crowded channel. */
const receiversNow = (realm: Realm, place: EditTypingPayload["place"], mostSubscribers: number): UserSet => {
  const wantsToKnow = (user: UserId) =>
    realm.isActive(user) && realm.users.get(user)?.settings.receives_typing_notifications !== false
  if ("people" in place) return userSet(place.people.filter(wantsToKnow))
  const channel = realm.channels.get(place.channel)
  if (channel === undefined || realm.subscribers(channel.id).length > mostSubscribers) return emptyUserSet
  const holders = realm.holders(channel.id, place.since, place.since, privacyAtRow(channel))
  return holders.filter((id) => realm.isSubscribed(channel.id, UserId(id)) && wantsToKnow(UserId(id)))
}

const noMessages: ReadonlyArray<MessageId> = []

/** The messages that a row changes or takes away, for those who see that somebody edits one. */
const changedBy = (row: LogRow): ReadonlyArray<MessageId> => {
  if (row.type === deleteMessageRows.type) return deleteMessageRows.read(row.payload).messages.ids
  if (row.type !== updateMessageRows.type) return noMessages
  const { user_id, messages } = updateMessageRows.read(row.payload)
  // One that is only rendered anew is still being edited.
  return user_id === null ? noMessages : messages.ids
}

const indicators: IndicatorKind<EditTypingPayload> = {
  type: editTypingKind.type,
  said: EditTypingPayload,
  keyOf: ({ message_id }) => String(message_id),
  event: (realm, payload, { typingChannelSubscribers }) => {
    const users = receiversNow(realm, payload.place, typingChannelSubscribers)
    return users.length === 0 ? null : { payload, users }
  },
  endedBy: (row) => changedBy(row).map(String),
}

interface EditTypingShape {
  /** Checks a start or stop and announces it. */
  readonly tell: (caller: Caller, op: TypingOp, message: MessageId) => Effect.Effect<void, RequestFailure>
}

export class EditTyping extends Context.Service<EditTyping, EditTypingShape>()("parley/chat/EditTyping") {
  static readonly layer = Layer.effect(
    EditTyping,
    Effect.gen(function* () {
      const realms = yield* Realms
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof findMessageWithText>>>()
      const announce = yield* makeIndicators(indicators)

      return EditTyping.of({
        tell: Effect.fnUntraced(function* (caller, op, message) {
          const found = yield* Effect.provide(findMessageWithText(caller, message), services)
          const runtime = yield* realms.get(caller.realm)
          const typist = yield* Effect.fromResult(requireActor(runtime.realm, caller))
          announce(runtime, yield* Effect.fromResult(requireEditTyping(runtime.realm, typist, op, message, found)))
        }),
      })
    }),
  )
}

const editTypingEndpoint = (path: string) =>
  userEndpoint({
    method: "POST",
    path,
    fresh: "onRefusal",
    summary: "Tells those who hold a message that its sender has started or stopped typing a new content of it.",
    params: { message: id("message_id", MessageId), op: choice("op", ["start", "stop"]) },
    reply: noFields,
    errors: [],
    run: Effect.fnUntraced(function* (caller, { params: { message, op } }) {
      yield* (yield* EditTyping).tell(caller, op, message)
      return dataReply()
    }),
  })

/** The second is its first name, which clients of the levels 351 to 360 use. */
export const editTypingEndpoints = [
  editTypingEndpoint("/messages/{message_id:int}/typing"),
  editTypingEndpoint("/message_edit_typing"),
] as const
