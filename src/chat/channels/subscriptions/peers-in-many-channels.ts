/**
 * How a row looks that tells of somebody in many channels at once: an event of the channels that a receiver sees by their role,
 * one of those by a permission, one of those that they are in. The first two are made once for all who see the same, so that ten
 * thousand people, each with private channels of their own, do not have as many copies of the list of public ones.
 */
import { type EventReceiver, JsonText, type WireEvent } from "../../../events/encode.ts"
import type { EventBody, LogRow } from "../../../events/event.ts"
import type { ChannelId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { RealmHistory } from "../../ground/kinds/event-kind.ts"
import { cachedPerEvent, noEvents, oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { peersWidth, type SubscriptionPayload } from "../../ground/kinds/subscription-row.ts"
import { VisibleChannels } from "../../ground/kinds/visibility/visible-channels.ts"

type PeerEventTexts = Map<string, JsonText>

const makePeers = (past: RealmHistory, payload: SubscriptionPayload, position: number) => {
  if (!("places" in payload)) throw new Error("the row is about one channel")
  const { op, user_ids } = payload
  const seen = new VisibleChannels(past, payload, position)
  const event = (stream_ids: ReadonlyArray<ChannelId>) => ({ type: "subscription", op, stream_ids, user_ids })
  const [byRole, byPermission]: [PeerEventTexts, PeerEventTexts] = [new Map(), new Map()]
  const shared = (texts: PeerEventTexts, places: ReadonlyArray<number>): JsonText => {
    const key = places.join()
    const text = texts.get(key) ?? new JsonText(JSON.stringify(event(seen.within(places))))
    texts.set(key, text)
    return text
  }
  return {
    seen,
    /** All channels in one event. */
    wireOne: (receiver: EventReceiver): ReadonlyArray<WireEvent> => {
      const channels = seen.of(receiver)
      return channels.length === 0 ? noEvents : oneEvent(event(channels))
    },
    wire: (receiver: EventReceiver): ReadonlyArray<WireEvent> => {
      const visibility = seen.visibility(receiver)
      return [
        ...(visibility.byRole.length === 0 ? [] : [{ n: 0, event: shared(byRole, visibility.byRole) }]),
        ...(visibility.byPermission.length === 0
          ? []
          : [{ n: 1, event: shared(byPermission, visibility.byPermission) }]),
        ...(visibility.asSubscriber.length === 0 ? [] : [{ n: 2, event: event(visibility.asSubscriber) }]),
      ]
    },
  }
}

/** Rows of an older program have an id for one event only. */
const isOfOne = ({ width }: LogRow): boolean => width < peersWidth

export const peersInManyChannels = (past: RealmHistory, read: (payload: JsonObject) => SubscriptionPayload) => {
  const peersOf = cachedPerEvent((body) => makePeers(past, read(body.payload), requireStoredRow(body).position))
  return {
    weight: (body: EventBody): number => peersOf(body).seen.size,
    variant: (row: LogRow, receiver: EventReceiver): string => {
      const { seen } = peersOf(row)
      if (isOfOne(row)) return seen.key(receiver)
      const { byRole, byPermission, asSubscriber } = seen.visibility(receiver)
      return `${byRole} ${byPermission} ${asSubscriber}`
    },
    wire: (row: LogRow, receiver: EventReceiver): ReadonlyArray<WireEvent> =>
      isOfOne(row) ? peersOf(row).wireOne(receiver) : peersOf(row).wire(receiver),
  }
}
