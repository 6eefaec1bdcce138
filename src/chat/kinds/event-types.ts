/**
 * How each type of event looks on the wire (contract 5.1). Every function depends on nothing but the event, the
 * receiver's client and, where a list is not stored with the event, on spans at the event's position: an event is
 * the same bytes whenever it is sent.
 */
import type { EchoOf, EventType } from "../../events/encode.ts"
import {
  channelFolderEvent,
  defaultStreamGroupsEvent,
  defaultStreamsEvent,
  streamEvent,
} from "../channels/channel-event.ts"
import { wireMessage } from "../messages/wire-message.ts"
import { realmEvent } from "../organization/realm-event.ts"
import type { Realm } from "../realm/realm.ts"
import { subscriptionEvent } from "../subscriptions/subscription-event.ts"
import { readTyping, wireTyping } from "../typing/typing-event.ts"
import { userGroupEvent } from "../user-groups/group-event.ts"
import { realmBot, realmUser, userSettings } from "../users/people-event.ts"
import { asRow, none, one, plain } from "./event-shape.ts"
import { type MessagePayload, readMessage } from "./payloads.ts"

const message: EventType = {
  personal: false,
  variant: (_body, rendering, along) => (along ? `${rendering.key}+` : rendering.key),
  wire: (body, rendering, along) => {
    const row = asRow(body)
    const payload = readMessage(row.payload)
    const content = row.content ?? { raw: "", rendered: "" }
    // Until read state exists every message counts as read. Flags belong to those who hold it: nobody who reads along.
    return one({
      type: "message",
      message: wireMessage(row.position, row.at, payload, content, rendering),
      flags: along ? [] : ["read"],
    })
  },
}

const typing: EventType = {
  personal: false,
  variant: (_body, rendering) => `${rendering.emptyTopicName} ${rendering.channelTyping}`,
  wire: (body, rendering) => {
    const event = wireTyping(readTyping(body.payload), rendering)
    return event === null ? none : one(event)
  },
}

const silent = plain(() => none)

/** The types of one realm's events, and those that only a test knows. A row of a newer program tells nobody anything. */
export const eventTypes = (
  realm: Pick<Realm, "host" | "subscriptions" | "activeAt">,
  further: Readonly<Record<string, EventType>> = {},
): ((type: string) => EventType) => {
  const types: ReadonlyMap<string, EventType> = new Map([
    ...Object.entries(further),
    ["message", message],
    ["stream", streamEvent(realm.activeAt)],
    ["channel_folder", channelFolderEvent],
    ["default_streams", defaultStreamsEvent],
    ["default_stream_groups", defaultStreamGroupsEvent],
    ["subscription", subscriptionEvent(realm.subscriptions, realm.activeAt)],
    ["realm_user", realmUser(realm)],
    ["realm", realmEvent(realm.activeAt)],
    ["user_settings", userSettings],
    ["user_group", userGroupEvent(realm.activeAt)],
    ["realm_bot", realmBot],
    ["typing", typing],
    ["heartbeat", plain(() => one({ type: "heartbeat" }))],
    // Rows that only projections read.
    ["account_state", silent],
    ["api_key", silent],
    ["noop", silent],
    ["queue_end", silent],
  ])
  return (name) => types.get(name) ?? silent
}

/** The queue a message was sent through learns its own local id, under both of its names. */
export const localEcho: EchoOf = (row, event, receiver) => {
  if (row.origin === null || row.type !== "message") return event
  const payload: MessagePayload = readMessage(row.payload)
  if (payload.sender.id !== receiver.user) return event
  return { ...event, local_message_id: row.origin.localId, local_id: row.origin.localId }
}
