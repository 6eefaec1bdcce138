/** The field of a channel that lists its subscribers: all, or only some if the channel is big. */
import { inSet, type UserSet } from "../../../events/event.ts"
import type { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { cachedFor } from "../../ground/kinds/section-text.ts"
import type { SectionView } from "../../ground/kinds/section-view.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { type ChannelShape, ChannelText, channelText, plainShape } from "../channels/channel-sections.ts"

type SubscriberView = Pick<SectionView, "includeSubscribers">

/** A channel with more subscribers than this is big. */
const bigChannel = 250

const keptBots = cachedFor<ReadonlyArray<UserId>>(["realm_user"], 1)

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

/** A channel's text with its subscribers written in. With other subscribers the text is another object. */
interface WithSubscribers {
  readonly subscribers: UserSet
  /** Ids of bots, where only they are listed. */
  readonly bots: ReadonlyArray<UserId> | null
  readonly text: ChannelText
}
const writtenAll = new WeakMap<ChannelText, WithSubscribers>()
const writtenSome = new WeakMap<ChannelText, WithSubscribers>()

const allText = (plain: ChannelText, subscribers: UserSet): ChannelText => {
  const known = writtenAll.get(plain)
  if (known?.subscribers === subscribers) return known.text
  const text = new ChannelText(`${plain.open},"subscribers":[${subscribers.join(",")}]`)
  writtenAll.set(plain, { subscribers, bots: null, text })
  return text
}

const someText = (plain: ChannelText, subscribers: UserSet, bots: ReadonlyArray<UserId>): ChannelText => {
  const known = writtenSome.get(plain)
  if (known?.subscribers === subscribers && known.bots === bots) return known.text
  const some = bots.filter((id) => inSet(subscribers, id)).sort((a, b) => a - b)
  const text = new ChannelText(`${plain.open},"partial_subscribers":[${some.join(",")}]`)
  writtenSome.set(plain, { subscribers, bots, text })
  return text
}

/**
 * How lists show channels with their subscribers, to somebody who is not one of them. Of a big channel with only some
 * subscribers these are the bots.
 */
export const subscriberShape = (realm: Realm, user: UserRecord | null, view: SubscriberView): ChannelShape => {
  const { includeSubscribers } = view
  if (user === null || includeSubscribers === false) return plainShape(realm)
  const bots = botIds(realm)
  return {
    name: String(includeSubscribers),
    text: (channel) => {
      const plain = channelText(realm, channel)
      const subscribers = realm.subscribers(channel.id)
      return includeSubscribers === true || subscribers.length <= bigChannel
        ? allText(plain, subscribers)
        : someText(plain, subscribers, bots)
    },
  }
}

/** The same for one of the subscribers. */
export const ownText = (
  realm: Realm,
  channel: ChannelRecord,
  user: UserRecord,
  view: SubscriberView,
  { text }: ChannelShape,
): ChannelText => {
  const subscribers = realm.subscribers(channel.id)
  if (view.includeSubscribers !== "partial" || subscribers.length <= bigChannel) return text(channel)
  const fields = JSON.stringify(subscriberFields(realm, subscribers, user, view))
  return new ChannelText(`${channelText(realm, channel).open},${fields.slice(1, -1)}`)
}
