/** Rows about subscriptions: who is subscribed to a channel, and a user's own settings for it. */
import * as Schema from "effect/Schema"
import { idSchemas, type Position } from "../../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { ChannelRecord, InheritedSettings, SubscriptionSettings, subscriptionProperties } from "../realm/records.ts"
import { withSubscriptionProperty } from "../realm/subscription-settings.ts"
import { rowKind } from "./event-kind.ts"
import { channelsByViewers } from "./visibility/channels-by-viewers.ts"

/** The channel is archived: clients without `archived_channels` know it as deleted and do not get the event. */
const isArchived = { is_archived: Schema.optionalKey(Schema.Literal(true)) }
/** The channel was unarchived: only clients without `archived_channels` get the event, the others never lost it. */
const returned = { returned: Schema.optionalKey(Schema.Literal(true)) }

export const SubscriptionPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("add"),
    channel: ChannelRecord,
    /** The new subscribers, each with their settings for the channel. */
    added: Schema.Array(
      Schema.Struct({
        user_id: idSchemas.user,
        settings: SubscriptionSettings,
        /** The user's settings that the subscription inherits from; absent: the defaults of a new account. */
        inherits: Schema.optionalKey(InheritedSettings),
      }),
    ),
    ...returned,
  }),
  /** A user changes one of their settings for the channel. */
  Schema.Struct({
    op: Schema.Literal("update"),
    user_id: idSchemas.user,
    channel_id: idSchemas.channel,
    property: Schema.Literals(subscriptionProperties),
    value: Schema.Union([Schema.String, Schema.Boolean]),
    ...isArchived,
  }),
  Schema.Struct({
    op: Schema.Literal("remove"),
    channel_id: idSchemas.channel,
    name: Schema.String,
    user_ids: Schema.Array(idSchemas.user),
  }),
  /** Only informs the others who see the channel: who has subscribed or unsubscribed. */
  Schema.Struct({
    op: Schema.Literals(["peer_add", "peer_remove"]),
    channel_id: idSchemas.channel,
    /** `all`: all subscribers at the row's position, instead of a long list in the log. */
    user_ids: Schema.Union([Schema.Array(idSchemas.user), Schema.Literal("all")]),
    ...isArchived,
    ...returned,
  }),
  /** The same of many channels at once: `peersWidth` events. */
  Schema.Struct({
    op: Schema.Literals(["peer_add", "peer_remove"]),
    user_ids: Schema.Array(idSchemas.user),
    ...channelsByViewers,
  }),
])
export type SubscriptionPayload = typeof SubscriptionPayload.Type

/**
 * Number of events of a row about many channels: those that a receiver sees by their role, by a permission, and only because
 * they are in them. Nearly everybody may differ in the last, so what most see is not in that event. Rows of width 1 have one
 * event with all.
 */
export const peersWidth = 3

const applyToProjection = ({ subscriptions }: Realm, payload: SubscriptionPayload, position: Position): void => {
  switch (payload.op) {
    case "add": {
      const users = payload.added.map(({ user_id }) => user_id)
      subscriptions.addAll(payload.channel.id, users, { opened: position, closed: null })
      for (const { user_id, settings } of payload.added)
        subscriptions.setSettings(user_id, payload.channel.id, settings)
      return
    }
    case "remove":
      return subscriptions.closeAll(payload.channel_id, payload.user_ids, position)
    case "update": {
      const { user_id, channel_id, property, value } = payload
      const known = subscriptions.settings(user_id, channel_id)
      if (known !== undefined)
        subscriptions.setSettings(user_id, channel_id, withSubscriptionProperty(known, property, value))
      return
    }
    case "peer_add":
    case "peer_remove":
      return
  }
}

export const subscriptionRows = rowKind({
  type: "subscription",
  payload: SubscriptionPayload,
  changesRules: true,
  applyFunction: "apply_subscription_v2",
  applyToProjection,
})
