/** Small parts of kinds of events: one event or none, the row behind an event, who was active at its position. */
import type { EventType, WireEvent } from "../../events/encode.ts"
import { type EventBody, isStored, type LogRow } from "../../events/event.ts"
import type { UserId } from "../../ids.ts"
import type { IsActive } from "../realm/rules.ts"

/** One event; `n`: its offset among the wire ids of its row. */
export const one = (event: WireEvent["event"]): ReadonlyArray<WireEvent> => [{ n: 0, event }]
export const none: ReadonlyArray<WireEvent> = []

/** The stored row that an event is of, for its position and time; throws for an ephemeral. */
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
