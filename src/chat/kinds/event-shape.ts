/** What the files about one family of events each share: the simplest event type, one event or none, who was active then. */
import type { EventType, WireEvent } from "../../events/encode.ts"
import { type EventBody, isStored, type LogRow } from "../../events/event.ts"
import type { UserId } from "../../ids.ts"
import type { IsActive } from "../realm/rules.ts"

export const one = (event: WireEvent["event"]): ReadonlyArray<WireEvent> => [{ n: 0, event }]
export const none: ReadonlyArray<WireEvent> = []

/** For types that have no ephemerals. */
export const asRow = (body: EventBody): LogRow => {
  if (isStored(body)) return body
  throw new Error(`an event of type ${body.type} must be a stored row`)
}

/** Who was active when, as the log's spans have it. */
export type ActiveAt = (user: UserId, position: number) => boolean

/** Who was active at an event's position. */
export const activeAtRow =
  (activeAt: ActiveAt, body: EventBody & Partial<Pick<LogRow, "position">>): IsActive =>
  (user) =>
    activeAt(user, body.position ?? Number.MAX_SAFE_INTEGER)

/** Types whose bytes are the same for everybody. */
export const plain = (wire: (body: EventBody) => ReadonlyArray<WireEvent>): EventType => ({
  personal: false,
  variant: () => "",
  wire,
})
