/**
 * The events of the model's realm, as the encoder sees them. Some exist only here: a `wide` row of which every receiver
 * gets some of the ids, rows that count, and a `signal` that is never stored.
 */
import { noCapabilities } from "../../../src/events/client-capabilities.ts"
import type { ClientRendering, EchoOf, EventType, WireEvent } from "../../../src/events/encode.ts"
import { type EventBody, isStored, type LogRow } from "../../../src/events/event.ts"
import type { Json, JsonObject } from "../../../src/json.ts"

export const numberAt = (body: JsonObject, key: string): number => {
  const value = body[key]
  if (typeof value !== "number") throw new Error(`${key} is not a number in ${JSON.stringify(body)}`)
  return value
}

const listAt = (body: JsonObject, key: string): ReadonlyArray<Json> => {
  const value = body[key]
  if (!Array.isArray(value)) throw new Error(`${key} is not a list in ${JSON.stringify(body)}`)
  return value
}

export const positionIn = (body: EventBody): number => (isStored(body) ? body.position : 0)

const one = (event: JsonObject): ReadonlyArray<WireEvent> => [{ n: 0, event }]

/** An event type whose bytes do not depend on the user. */
const plain: EventType = {
  personal: false,
  variant: () => "",
  wire: (body) => one({ type: body.type, at: positionIn(body), ...body.payload }),
}

const message: EventType = {
  personal: false,
  variant: (_body, rendering, viaPublicStreams) => `${rendering.rendered} ${viaPublicStreams}`,
  wire: (body, rendering, viaPublicStreams) =>
    one({
      type: "message",
      at: positionIn(body),
      form: rendering.rendered ? "html" : "raw",
      viaPublicStreams,
      ...body.payload,
    }),
}

/** `readers` has, for each n that anybody gets at all, n and then the users who get it. */
const wide: EventType = {
  personal: true,
  variant: (_body, { user }) => String(user),
  wire: (body, { user }) =>
    listAt(body.payload, "readers").flatMap((item) => {
      const [n, ...readers] = Array.isArray(item) ? item : []
      if (typeof n !== "number" || !readers.includes(user)) return []
      return [{ n, event: { type: "wide", at: positionIn(body), n, reader: user } }]
    }),
}

/** Only clients with the capability get this event. */
const signal: EventType = {
  personal: false,
  variant: (_body, rendering) => String(rendering.channelTyping),
  wire: (body, rendering) => (rendering.channelTyping ? one({ type: "signal", ...body.payload }) : []),
}

const nothing: EventType = { personal: false, variant: () => "", wire: () => [] }

const types: ReadonlyMap<string, EventType> = new Map<string, EventType>([
  ["message", message],
  ["notice", message],
  ["wide", wide],
  ["subscription", plain],
  ["secret", plain],
  ["role", plain],
  ["count", plain],
  ["stored", plain],
  ["noop", nothing],
  ["signal", signal],
  ["heartbeat", plain],
])

export const typeOf = (name: string): EventType => {
  const type = types.get(name)
  if (type === undefined) throw new Error(`unknown event type ${name}`)
  return type
}

/** Asked for where a message was sent through the receiver's queue, which need not be its sender's. */
export const echo: EchoOf = (row: LogRow, event, { user }) =>
  row.origin === null || row.payload["sender"] !== user ? event : { ...event, local_id: row.origin.localId }

const rendering = (rendered: boolean, channelTyping: boolean): ClientRendering => ({
  rendered,
  gravatar: false,
  slimPresence: false,
  ...noCapabilities,
  channelTyping,
})

export const renderings: readonly [ClientRendering, ...ReadonlyArray<ClientRendering>] = [
  rendering(true, true),
  rendering(false, true),
  rendering(true, false),
]
