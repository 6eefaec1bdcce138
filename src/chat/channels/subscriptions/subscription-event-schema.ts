/** The exact shape of the events about subscriptions. subscription-event.ts makes them. */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import { NewSubscription } from "../../ground/wire/wire-subscription.ts"
import { Colour, Id, Ids, opEvent } from "../../ground/wire/wire-values.ts"

/** A setting of a user for a channel. It cannot be reset to the inherited value. */
const own: WireKeys = {
  color: Colour,
  is_muted: Schema.Boolean,
  in_home_view: Schema.Boolean,
  pin_to_top: Schema.Boolean,
  desktop_notifications: Schema.Boolean,
  audible_notifications: Schema.Boolean,
  push_notifications: Schema.Boolean,
  email_notifications: Schema.Boolean,
  wildcard_mentions_notify: Schema.Boolean,
}

const nonEmptyIds = Ids.check(Schema.isMinLength(1))
const peers = { stream_ids: nonEmptyIds, user_ids: nonEmptyIds }

export const subscriptionEvents: WireKeys = {
  add: opEvent("subscription", "add", { subscriptions: Schema.Array(NewSubscription) }),
  remove: opEvent("subscription", "remove", {
    subscriptions: Schema.Array(Schema.Struct({ stream_id: Id, name: Schema.NonEmptyString })),
  }),
  /** One Schema for each property, so that a value of another property's type does not pass. */
  update: Schema.Union(
    Object.entries(own).map(([property, value]) =>
      opEvent("subscription", "update", { stream_id: Id, property: Schema.Literal(property), value }),
    ),
  ),
  peer_add: opEvent("subscription", "peer_add", peers),
  peer_remove: opEvent("subscription", "peer_remove", peers),
}
