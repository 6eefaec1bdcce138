/** Helpers for the kinds of events: one event or none, the row of an event, what is known of it, who was active then. */
import type { EventType, WireEvent } from "../../../events/encode.ts"
import { type EventBody, isStored, type LogRow } from "../../../events/event.ts"
import type { UserId } from "../../../ids.ts"
import type { IsActive } from "../realm/realm-rules.ts"

/** The only event of a row. */
export const oneEvent = (event: WireEvent["event"]): ReadonlyArray<WireEvent> => [{ n: 0, event }]
export const noEvents: ReadonlyArray<WireEvent> = []

/** The stored row of an event, for its position and time; throws for an ephemeral event, which has none. */
export const requireStoredRow = (body: EventBody): LogRow => {
  if (isStored(body)) return body
  throw new Error(`an event of type ${body.type} must be a stored row`)
}

/** Keeps facts of an event, made when first asked for. Weak: they go when the ring lets go of the row. */
export const cachedPerEvent = <Known extends object>(
  make: (body: EventBody) => Known,
): ((body: EventBody) => Known) => {
  const known = new WeakMap<EventBody, Known>()
  return (body) => {
    const found = known.get(body)
    if (found !== undefined) return found
    const made = make(body)
    known.set(body, made)
    return made
  }
}

/** What a function makes, when first wanted. */
export const builtOnce = <Made extends object>(make: () => Made): (() => Made) => {
  let known: Made | undefined
  return () => {
    known ??= make()
    return known
  }
}

/** Whether a user was active at a log position. */
export type ActiveAt = (user: UserId, position: number) => boolean

/** Whether a user was active at an event's position; for an ephemeral event, whether they are now. */
export const activeAtRow =
  (activeAt: ActiveAt, body: EventBody & Partial<Pick<LogRow, "position">>): IsActive =>
  (user) =>
    activeAt(user, body.position ?? Number.MAX_SAFE_INTEGER)

/** A type of event whose bytes are the same for every receiver. */
export const uniformType = (wire: (body: EventBody) => ReadonlyArray<WireEvent>): EventType => ({
  personal: false,
  variant: () => "",
  wire,
})
