/** The field of a channel that lists its subscribers: all, or only some if the channel is big. */
import { inSet, type UserSet } from "../../events/event.ts"
import type { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { keptFor } from "../kinds/section-text.ts"
import type { SectionView } from "../kinds/section-view.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

type SubscriberView = Pick<SectionView, "includeSubscribers">

/** A channel with more subscribers than this is big. */
const bigChannel = 250

const keptBots = keptFor<ReadonlyArray<UserId>>(["realm_user"], 1)

/** The ids of all bots of the organization. */
export const botIds = (realm: Realm): ReadonlyArray<UserId> =>
  keptBots(realm, "", () => [...realm.users.values()].filter((user) => user.is_bot).map((user) => user.id))

/** The field with the subscribers, as the client asked for it. */
export const subscriberFields = (
  realm: Realm,
  subscribers: UserSet,
  user: UserRecord,
  view: SubscriberView,
): JsonObject => {
  if (view.includeSubscribers === false) return {}
  if (view.includeSubscribers === true || subscribers.length <= bigChannel)
    return { subscribers: Array.from(subscribers) }
  const some = [...botIds(realm), ...(user.is_bot ? [] : [user.id])]
  return { partial_subscribers: some.filter((id) => inSet(subscribers, id)).sort((a, b) => a - b) }
}

/** By set, because sets of subscribers are immutable. */
const writtenSets = new WeakMap<UserSet, string>()

const subscribersText = (subscribers: UserSet): string => {
  const known = writtenSets.get(subscribers)
  if (known !== undefined) return known
  const text = `,"subscribers":[${subscribers.join(",")}]`
  writtenSets.set(subscribers, text)
  return text
}

/** The field as JSON text, preceded by a comma. */
export const subscriberText = (
  realm: Realm,
  subscribers: UserSet,
  user: UserRecord | null,
  view: SubscriberView,
): string => {
  if (user === null || view.includeSubscribers === false) return ""
  if (view.includeSubscribers === true || subscribers.length <= bigChannel) return subscribersText(subscribers)
  return `,${JSON.stringify(subscriberFields(realm, subscribers, user, view)).slice(1, -1)}`
}
