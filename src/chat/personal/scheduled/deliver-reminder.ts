/**
 * Reminders come as direct messages of Notification Bot. They quote the message as their owner may read it at that moment; of
 * one that is gone, or hidden from them by now, only the note remains.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { Config } from "../../../config/config.ts"
import { MessageId } from "../../../ids.ts"
import { type FoundMessage, findMessageWithText } from "../../changing/message-edits/found-message.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { findPerson } from "../../ground/realm/system-bots.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireReadable } from "../../reading/history/message-access.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { authorVisibility, channelFinder } from "../../text/markdown/find-names.ts"
import { deliverer, type PreparedDelivery } from "./delivery.ts"
import { type RemindedOf, reminderText } from "./delivery-notices.ts"
import { type ReminderFields, reminders } from "./scheduled-lists.ts"

/** The message, if the owner may read it, and by what the commit sees that it is still where it was. */
const findQuoted = (realm: Realm, owner: UserRecord, { place, text }: FoundMessage) => {
  const readable = requireReadable(realm, owner, place)
  if (Result.isFailure(readable) || text === undefined) return undefined
  const { id, sender_id, channel_id, channel_since } = readable.success
  const sender = findPerson(realm, sender_id)
  const channel = channel_id === null ? undefined : realm.channels.get(channel_id)
  if (sender === undefined) return undefined
  const { content, topic } = text
  const message: RemindedOf = { id, sender, content, place: channel === undefined ? null : { channel, topic } }
  return { message, quoted: { message_id: id, channel_id, since: channel_since, topic } }
}

const prepare = Effect.fnUntraced(function* (value: ReminderFields, caller: Caller) {
  const { limits } = yield* Config
  const found = yield* findMessageWithText(caller, MessageId(value.reminder_target_message_id))
  return {
    plan: (realm, owner, now) =>
      Result.map(requireActor(realm, now), () => {
        const quoted = findQuoted(realm, owner, found)
        const find = channelFinder(realm, authorVisibility(realm, owner))
        const content = reminderText(quoted?.message, value.note, find, limits.maxMessageLength)
        const [step] = noticeSteps(realm, [{ user: owner, content }])
        if (step === undefined) throw new Error("a notice has a step")
        return { step, asks: quoted === undefined ? {} : { quoted: quoted.quoted } }
      }),
    sent: () => Effect.void,
  } satisfies PreparedDelivery<never>
})

export const deliverReminder = deliverer({
  itemKind: "reminder",
  list: reminders,
  prepare,
  asFailed: (value: ReminderFields) => ({ ...value, failed: true }),
  caller: ({ origin }: ReminderFields) => ({ client: "Internal", origin }),
})
