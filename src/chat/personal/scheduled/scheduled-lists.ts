/** Scheduled messages and reminders as rows, as events, and as sections of register (contract 3.1.7, 3.10, 5.1). */
import * as Schema from "effect/Schema"
import { type ItemFields, type OwnItem, ownList } from "../../ground/own-lists/own-list.ts"
import { Id, Ids, Seconds } from "../../ground/wire/wire-values.ts"

/** Each register of a user carries all of them; scheduled.sql limits their characters, too. */
const most = 200
export const mostCharacters = 1_000_000

/** What both have, whatever else. The time is in Unix seconds. */
const timed = { scheduled_delivery_timestamp: Seconds, failed: Schema.Boolean }

/** The earliest first; of one time in the order in which they were made. */
const byTime = <F extends ItemFields & typeof timed>(a: OwnItem<F>, b: OwnItem<F>): number =>
  Number(a.record["scheduled_delivery_timestamp"]) - Number(b.record["scheduled_delivery_timestamp"]) || a.id - b.id

export const scheduledMessages = ownList({
  type: "scheduled_messages",
  noun: "scheduled_message",
  idKey: "scheduled_message_id",
  addsList: true,
  fields: {
    type: Schema.Literals(["private", "stream"]),
    /** A channel, or the people beside the author; of a message to oneself oneself. */
    to: Schema.Union([Id, Ids]),
    content: Schema.String,
    rendered_content: Schema.String,
    /** Of a channel message. */
    topic: Schema.optionalKey(Schema.String),
    ...timed,
    read_by_sender: Schema.Boolean,
    /** The client that it was made with, and the address by which that reached this server. */
    client: Schema.String,
    origin: Schema.String,
    /** Ids of the uploaded files that it links: they stay until it is sent (unclaimed-files-store.ts). */
    files: Schema.optionalKey(Ids),
  },
  hidden: ["read_by_sender", "client", "origin", "files"],
  most,
  refusals: {
    gone: "Scheduled message does not exist",
    full: `You can have at most ${most} scheduled messages, with ${mostCharacters} characters in all.`,
  },
  order: byTime,
  own: { applyFunction: "apply_scheduled_messages_v1", stored: "section_scheduled_messages_v1" },
})

export const reminders = ownList({
  type: "reminders",
  noun: "reminder",
  idKey: "reminder_id",
  addsList: true,
  fields: {
    type: Schema.Literal("private"),
    to: Ids,
    /** Without the message itself: who could read it then may not be allowed to any more. */
    content: Schema.String,
    rendered_content: Schema.String,
    ...timed,
    reminder_target_message_id: Id,
    note: Schema.String,
    origin: Schema.String,
  },
  hidden: ["note", "origin"],
  most,
  refusals: {
    gone: "Reminder does not exist",
    full: `You can have at most ${most} reminders, with ${mostCharacters} characters in all.`,
  },
  order: byTime,
  own: { applyFunction: "apply_reminders_v1", stored: "section_reminders_v1" },
})

type ItemOf<L> = L extends { readonly read: (stored: unknown) => ReadonlyArray<infer I> } ? I : never
export type ScheduledMessage = ItemOf<typeof scheduledMessages>["value"]
export type ReminderFields = ItemOf<typeof reminders>["value"]

export const scheduledItemKinds = ["scheduled_message", "reminder"] as const
export type ScheduledItemKind = (typeof scheduledItemKinds)[number]
