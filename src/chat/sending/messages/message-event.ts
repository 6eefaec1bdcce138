/**
 * The message event. The SQL function that sends writes its row, from a payload made in send-message.ts or notices.ts. The row
 * holds no content, which is stored once, in the table of messages.
 */
import * as Schema from "effect/Schema"
import type { EchoOf, EventReceiver } from "../../../events/encode.ts"
import { type EventBody, joinSets, type LogRow } from "../../../events/event.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { cachedPerEvent, oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { guestContacts } from "../../ground/realm/acquaintance/acquaintance.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { strangersTo } from "../../ground/wire/receivers-who-do-not-know.ts"
import { unknownSender } from "../../ground/wire/wire-unknown.ts"
import { plainEvent } from "../../ground/wire/wire-values.ts"
import { flagsFor, readMarks } from "./message-marks.ts"
import { Flags, SentMessage } from "./message-schema.ts"
import { formOf, MessagePayload, wireMessage } from "./wire-message.ts"

/** Only the queue that the message was sent through gets `local_message_id` and `local_id`. */
const MessageEvent = plainEvent("message", {
  message: SentMessage,
  flags: Flags,
  local_message_id: Schema.optionalKey(Schema.String),
  local_id: Schema.optionalKey(Schema.String),
}).check(Schema.makeFilter((event) => event.local_id === event.local_message_id, { expected: "one local id, twice" }))

const readPayload = Schema.decodeUnknownSync(MessagePayload)

/**
 * Whom guests come to know by a conversation. It is in its first message's row, which every send would have to decode for that:
 * so it is read from the payload as it is, and only of direct messages.
 */
const meetGuests = (realm: Realm, { payload }: LogRow): void => {
  if (payload["people"] === undefined || realm.roles.guests.size === 0) return
  const { people = [], conversation_id } = readPayload(payload)
  const humans = people.flatMap(({ id }) => realm.users.get(id) ?? []).filter((user) => !user.is_bot)
  for (const guest of humans.filter((user) => user.role === roles.guest))
    for (const { id } of humans)
      if (id !== guest.id && conversation_id !== undefined) realm.part(guestContacts).add(guest.id, id, conversation_id)
}

const kind = eventKind({
  type: "message",
  payload: MessagePayload,
  changesRules: false,
  filledIn: ["conversation_id"],
  redact: ({ widget: _widget, ...payload }) => payload,
  events: { "": MessageEvent },
  sections: ["message", "recent_private_conversations"],
  wireForm: (past, read) => {
    const marksOf = cachedPerEvent((body) => readMarks(read(body.payload)))
    const strangers = strangersTo(past, (body) => {
      const { sender, channel } = read(body.payload)
      // People of one conversation know each other.
      return channel === undefined ? null : { user: sender.id, among: channel.id }
    })
    const flagsOf = (body: EventBody, receiver: EventReceiver) => flagsFor(marksOf(body), receiver)
    return {
      personal: true,
      apart: (body) => joinSets(marksOf(body).apart, strangers.to(body)),
      variant: (body, receiver) =>
        [
          formOf(receiver.rendering),
          ...flagsOf(body, receiver),
          ...(strangers.isStranger(body, receiver) ? ["?"] : []),
        ].join(),
      wire: (body, receiver) => {
        const row = requireStoredRow(body)
        const content = row.content ?? { raw: "", rendered: "" }
        const payload = read(row.payload)
        const message = wireMessage(past, row.position, row.at, payload, content, receiver.rendering)
        return oneEvent({
          type: "message",
          message: strangers.isStranger(row, receiver)
            ? { ...message, ...unknownSender(past, payload.sender) }
            : message,
          flags: flagsOf(row, receiver),
        })
      },
    }
  },
})

export const messageKind: typeof kind = { ...kind, applyToProjection: meetGuests }

/** Adds the local id, under both of its names, to the event of the queue that the message was sent through. */
export const localEcho: EchoOf = (row, event, receiver) => {
  if (row.origin === null || row.type !== "message") return event
  if (messageKind.read(row.payload).sender.id !== receiver.user) return event
  return { local_message_id: row.origin.localId, local_id: row.origin.localId, ...event }
}
