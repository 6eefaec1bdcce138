/** Rows about subscriptions: who is in a channel, and a user's own settings for it. */
import * as Schema from "effect/Schema"
import { idSchemas, type Position } from "../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { ChannelRecord, InheritedSettings, SubscriptionSettings, subscriptionProperties } from "../realm/records.ts"
import { withSubscriptionProperty } from "../realm/subscription-settings.ts"
import { rowKind } from "./event-kind.ts"

/** The channel is archived: clients without `archived_channels` were told that it is gone, and are not told this. */
const isArchived = { is_archived: Schema.optionalKey(Schema.Literal(true)) }
/** The channel has come back: only clients without `archived_channels` are told, the others have known it all the time. */
const returned = { returned: Schema.optionalKey(Schema.Literal(true)) }

export const SubscriptionPayload = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("add"),
    channel: ChannelRecord,
    /** Each new subscriber with their own settings. */
    added: Schema.Array(
      Schema.Struct({
        user_id: idSchemas.user,
        settings: SubscriptionSettings,
        /** The user's settings that the subscription inherits from; absent: as of a new account. */
        inherits: Schema.optionalKey(InheritedSettings),
      }),
    ),
    ...returned,
  }),
  /** A user's own setting. */
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
  /** To others who see the channel: who has come or gone. Tells only. */
  Schema.Struct({
    op: Schema.Literals(["peer_add", "peer_remove"]),
    channel_id: idSchemas.channel,
    /** `all`: the channel's subscribers at the row's position, which are not stored again. */
    user_ids: Schema.Union([Schema.Array(idSchemas.user), Schema.Literal("all")]),
    ...isArchived,
    ...returned,
  }),
])
export type SubscriptionPayload = typeof SubscriptionPayload.Type

const move = ({ subscriptions }: Realm, payload: SubscriptionPayload, position: Position): void => {
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
  table: "apply_subscription_v1",
  move,
})
