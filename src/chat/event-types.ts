/**
 * How each type of event looks on the wire (contract 5.1). Every function depends on nothing but the event, the
 * receiver's client and, where a list is not stored with the event, on spans at the event's position: an event is
 * the same bytes whenever it is sent.
 */
import type { EchoOf, EventType, Receiver } from "../events/encode.ts"
import { type EventBody, isStored, type LogRow } from "../events/event.ts"
import { ChannelId } from "../ids.ts"
import { none, one, plain } from "./event-shape.ts"
import { wireMessage } from "./messages/wire-message.ts"
import { realmBot, realmUser, userGroup, userSettings } from "./people-event.ts"
import type { Realm } from "./realm.ts"
import { realmEvent } from "./realm-event.ts"
import { type MessagePayload, readDefaultStreams, readMessage, readStream, readSubscription } from "./records.ts"
import type { SubscriptionSpans } from "./spans.ts"
import { readTyping, wireTyping } from "./typing-event.ts"
import { defaultUserSettings } from "./user-settings.ts"
import { wireChannel, wireSubscription } from "./wire-records.ts"

const asRow = (body: EventBody): LogRow => {
  if (isStored(body)) return body
  throw new Error(`an event of type ${body.type} must be a stored row`)
}

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

const stream = plain((body) => {
  const payload = readStream(body.payload)
  switch (payload.op) {
    case "create":
      return one({ type: "stream", op: "create", streams: [wireChannel(payload.channel, payload.subscriber_count)] })
    case "update":
      return one({
        type: "stream",
        op: "update",
        stream_id: payload.channel_id,
        name: payload.name,
        property: payload.property,
        value: payload.value,
      })
    case "delete":
      return one({
        type: "stream",
        op: "delete",
        streams: payload.channel_ids.map((id) => ({ stream_id: id })),
        stream_ids: payload.channel_ids,
      })
  }
})

const defaultStreams = plain((body) =>
  one({ type: "default_streams", default_streams: readDefaultStreams(body.payload).channel_ids }),
)

/** Every new subscriber is told of all subscribers: gathered once per row, not once per receiver. */
const subscribersOf = (spans: SubscriptionSpans) => {
  const known = new WeakMap<LogRow, ReadonlyArray<number>>()
  return (row: LogRow, channel: ChannelId): ReadonlyArray<number> => {
    const subscribers = known.get(row) ?? spans.subscribersAt(channel, row.position)
    known.set(row, subscribers)
    return subscribers
  }
}

const subscription = (subscribersAt: ReturnType<typeof subscribersOf>): EventType => ({
  personal: true,
  variant: (body, receiver) =>
    body.payload["op"] === "add" ? `${receiver.user} ${receiver.rendering.notificationNull}` : "",
  wire: (body, { user, rendering }: Receiver) => {
    const payload = readSubscription(body.payload)
    switch (payload.op) {
      case "add": {
        const own = payload.added.find((each) => each.user_id === user)
        if (own === undefined) return none
        const subscribers = subscribersAt(asRow(body), ChannelId(payload.channel.id))
        const inherited = rendering.notificationNull ? null : (own.inherits ?? defaultUserSettings)
        const record = wireSubscription(payload.channel, own.settings, subscribers.length, inherited)
        return one({ type: "subscription", op: "add", subscriptions: [{ ...record, subscribers }] })
      }
      case "remove":
        return one({
          type: "subscription",
          op: "remove",
          subscriptions: [{ name: payload.name, stream_id: payload.channel_id }],
        })
      default: {
        const { op, channel_id } = payload
        const user_ids =
          payload.user_ids === "all" ? subscribersAt(asRow(body), ChannelId(channel_id)) : payload.user_ids
        return user_ids.length === 0 ? none : one({ type: "subscription", op, stream_ids: [channel_id], user_ids })
      }
    }
  },
})

const typing: EventType = {
  personal: false,
  variant: (_body, rendering) => `${rendering.emptyTopicName} ${rendering.channelTyping}`,
  wire: (body, rendering) => {
    const event = wireTyping(readTyping(body.payload), rendering)
    return event === null ? none : one(event)
  },
}

/** The types of one realm's events, and those that only a test knows. A row of a newer program tells nobody anything. */
const silent = plain(() => none)

export const eventTypes = (
  realm: Pick<Realm, "host" | "subscriptions">,
  further: Readonly<Record<string, EventType>> = {},
): ((type: string) => EventType) => {
  const types: ReadonlyMap<string, EventType> = new Map([
    ...Object.entries(further),
    ["message", message],
    ["stream", stream],
    ["default_streams", defaultStreams],
    ["subscription", subscription(subscribersOf(realm.subscriptions))],
    ["realm_user", realmUser(realm)],
    ["realm", realmEvent],
    ["user_settings", userSettings],
    ["user_group", userGroup],
    ["realm_bot", realmBot],
    ["typing", typing],
    ["heartbeat", plain(() => one({ type: "heartbeat" }))],
    // Rows that only projections read.
    ["account_state", silent],
    ["api_key", silent],
    ["noop", silent],
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
