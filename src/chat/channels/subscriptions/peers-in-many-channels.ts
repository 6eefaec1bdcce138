/**
 * How a row looks that tells of somebody in many channels at once: an event of the channels that a receiver sees by their role,
 * one of those by a permission, one of those that they are in. The first two are made once for all who see the same, so that ten
 * thousand people, each with private channels of their own, do not have as many copies of the list of public ones.
 */
import { JsonText, type Receiver, type WireEvent } from "../../../events/encode.ts"
import type { EventBody, LogRow } from "../../../events/event.ts"
import type { ChannelId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { Past } from "../../ground/kinds/event-kind.ts"
import { asRow, none, one, perRow } from "../../ground/kinds/event-shape.ts"
import { SeenPlaces } from "../../ground/kinds/places/seen-places.ts"
import { peersWidth, type SubscriptionPayload } from "../../ground/kinds/subscription-row.ts"

type Texts = Map<string, JsonText>

const makePeers = (past: Past, payload: SubscriptionPayload, position: number) => {
  if (!("places" in payload)) throw new Error("the row is about one channel")
  const { op, user_ids } = payload
  const seen = new SeenPlaces(past, payload, position)
  const event = (stream_ids: ReadonlyArray<ChannelId>) => ({ type: "subscription", op, stream_ids, user_ids })
  const [byRole, byPermission]: [Texts, Texts] = [new Map(), new Map()]
  const shared = (texts: Texts, places: ReadonlyArray<number>): JsonText => {
    const key = places.join()
    const text = texts.get(key) ?? new JsonText(JSON.stringify(event(seen.within(places))))
    texts.set(key, text)
    return text
  }
  return {
    seen,
    /** All channels in one event. */
    wireOne: (receiver: Receiver): ReadonlyArray<WireEvent> => {
      const channels = seen.of(receiver)
      return channels.length === 0 ? none : one(event(channels))
    },
    wire: (receiver: Receiver): ReadonlyArray<WireEvent> => {
      const sight = seen.sight(receiver)
      return [
        ...(sight.byRole.length === 0 ? [] : [{ n: 0, event: shared(byRole, sight.byRole) }]),
        ...(sight.byPermission.length === 0 ? [] : [{ n: 1, event: shared(byPermission, sight.byPermission) }]),
        ...(sight.asSubscriber.length === 0 ? [] : [{ n: 2, event: event(sight.asSubscriber) }]),
      ]
    },
  }
}

/** Rows of an older program have an id for one event only. */
const isOfOne = ({ width }: LogRow): boolean => width < peersWidth

export const manyPeers = (past: Past, read: (payload: JsonObject) => SubscriptionPayload) => {
  const peersOf = perRow((body) => makePeers(past, read(body.payload), asRow(body).position))
  return {
    weight: (body: EventBody): number => peersOf(body).seen.size,
    variant: (row: LogRow, receiver: Receiver): string => {
      const { seen } = peersOf(row)
      if (isOfOne(row)) return seen.key(receiver)
      const { byRole, byPermission, asSubscriber } = seen.sight(receiver)
      return `${byRole} ${byPermission} ${asSubscriber}`
    },
    wire: (row: LogRow, receiver: Receiver): ReadonlyArray<WireEvent> =>
      isOfOne(row) ? peersOf(row).wireOne(receiver) : peersOf(row).wire(receiver),
  }
}
