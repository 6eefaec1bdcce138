/**
 * Reminders of messages (contract 3.10): Notification Bot writes to whoever asked for one when its time has come. What may be
 * read of the message is decided then, so what is kept, and listed, does not have its text.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { id, text, withDefault } from "../../../api/params.ts"
import { MessageId } from "../../../ids.ts"
import { readOwn } from "../../ground/own-lists/own-list-changes.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { findMessageAccess, requireReadable } from "../../reading/history/message-access.ts"
import { renderMessage } from "../../text/markdown/render-message.ts"
import { reminderContent } from "./delivery-notices.ts"
import { addScheduled, notInFuture, removeScheduled } from "./scheduled-changes.ts"
import { type ReminderFields, reminders } from "./scheduled-lists.ts"
import { time } from "./scheduled-messages.ts"

const reminderList = {
  itemKind: "reminder",
  list: reminders,
  refusals: { refuseGone: reminders.gone, refuseSent: reminders.gone, refuseWithoutTime: notInFuture },
} as const

/** As register says (`max_reminder_note_length`). */
export const longestNote = 1000

const getReminders = userEndpoint({
  method: "GET",
  path: "/reminders",
  summary: "The requester's reminders, the earliest first.",
  params: {},
  reply: Schema.Struct(reminders.section.keys),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    yield* requireAccount(caller)
    return dataReply(yield* readOwn(reminders, caller))
  }),
})

const postReminders = userEndpoint({
  method: "POST",
  path: "/reminders",
  fresh: "onRefusal",
  summary: "Has the requester reminded of a message.",
  params: {
    messageId: id("message_id", MessageId),
    seconds: time,
    note: withDefault(text("note", { max: longestNote }), ""),
  },
  reply: Schema.Struct({ reminder_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, seconds, note: raw } }) {
    const note = raw.trim()
    const place = yield* findMessageAccess(caller, messageId)
    const content = reminderContent(note)
    const { html } = yield* renderMessage(caller, content)
    const reminder_id = yield* addScheduled(reminderList, caller, seconds, (realm, actor) =>
      Result.map(requireReadable(realm, actor, place), () => {
        const value: ReminderFields = {
          type: "private",
          to: [actor.id],
          content,
          rendered_content: html,
          scheduled_delivery_timestamp: seconds,
          failed: false,
          reminder_target_message_id: messageId,
          note,
          origin: caller.origin,
        }
        return { value, guard: undefined }
      }),
    )
    return dataReply({ reminder_id })
  }),
})

const deleteReminder = userEndpoint({
  method: "DELETE",
  path: "/reminders/{reminder_id:int}",
  fresh: "onRefusal",
  summary: "Removes a reminder.",
  params: { reminderId: id("reminder_id", Number) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { reminderId } }) {
    yield* removeScheduled(reminderList, caller, reminderId)
    return dataReply()
  }),
})

export const reminderEndpoints = [getReminders, postReminders, deleteReminder]
