/** What the files about one family of events each share: the simplest event type, and one event or none. */
import type { EventType, WireEvent } from "../events/encode.ts"
import type { EventBody } from "../events/event.ts"
import type { JsonObject } from "../json.ts"

export const one = (event: JsonObject): ReadonlyArray<WireEvent> => [{ n: 0, event }]
export const none: ReadonlyArray<WireEvent> = []

/** Types whose bytes are the same for everybody. */
export const plain = (wire: (body: EventBody) => ReadonlyArray<WireEvent>): EventType => ({
  personal: false,
  variant: () => "",
  wire,
})
