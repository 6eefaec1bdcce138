/** Events of channels, of what the reader has subscribed to, and of topics that are muted or followed. */
import type { Api, Event } from "../../../client/index.ts"
import { readChannel } from "../initial-state.ts"
import { type ChannelPermissions, conversationKey, type PageChannel, type PageState } from "../model.ts"
import { isPostMuted, without, withoutUnread } from "../unread.ts"

const changeChannel = (state: PageState, id: number, change: Partial<PageChannel>): PageState => {
  const channel = state.channels.get(id)
  if (channel === undefined) return state
  return { ...state, channels: new Map(state.channels).set(id, { ...channel, ...change }) }
}

/** One event may be about a thousand channels. */
const changeCount = (state: PageState, ids: ReadonlyArray<number>, by: number): PageState => {
  const channels = new Map(state.channels)
  for (const id of ids) {
    const channel = channels.get(id)
    if (channel !== undefined) channels.set(id, { ...channel, subscriberCount: channel.subscriberCount + by })
  }
  return { ...state, channels }
}

const idsIn = (state: PageState, channel: number): ReadonlySet<number> =>
  new Set(
    [...state.unread.values()]
      .filter(({ conversation }) => conversation.kind === "topic" && conversation.channel === channel)
      .flatMap(({ ids }) => [...ids]),
  )

const leaveChannel = (state: PageState, id: number): PageState => {
  const ids = idsIn(state, id)
  return {
    ...changeChannel(state, id, { isSubscribed: false, isMuted: false, isPinned: false }),
    unread: withoutUnread(state.unread, ids),
    unreadMentions: without(state.unreadMentions, ids),
  }
}

const onOwn = (state: PageState, event: Api.SubscriptionUpdateEvent): PageState => {
  const { stream_id: id } = event
  if (event.property === "color") return changeChannel(state, id, { color: event.value })
  if (event.property === "is_muted") return withoutMuted(changeChannel(state, id, { isMuted: event.value }))
  if (event.property === "pin_to_top") return changeChannel(state, id, { isPinned: event.value })
  return state
}

const onSubscription = (state: PageState, event: Extract<Event, { readonly type: "subscription" }>): PageState => {
  if (event.op === "update") return onOwn(state, event)
  if (event.op === "peer_add") return changeCount(state, event.stream_ids, event.user_ids.length)
  if (event.op === "peer_remove") return changeCount(state, event.stream_ids, -event.user_ids.length)
  if (event.op === "remove") return event.subscriptions.reduce((now, each) => leaveChannel(now, each.stream_id), state)
  const channels = new Map(state.channels)
  for (const each of event.subscriptions) channels.set(each.stream_id, readChannel(each, true))
  return { ...state, channels }
}

const permissionNames: Readonly<Record<string, keyof ChannelPermissions>> = {
  can_administer_channel_group: "administer",
  can_send_message_group: "post",
  can_add_subscribers_group: "addSubscribers",
  can_remove_subscribers_group: "removeSubscribers",
  can_delete_any_message_group: "deleteAny",
  can_delete_own_message_group: "deleteOwn",
  can_move_messages_within_channel_group: "moveWithin",
  can_move_messages_out_of_channel_group: "moveOut",
}

const onChange = (state: PageState, event: Api.StreamUpdateEvent): PageState => {
  const { stream_id: id } = event
  if (event.property === "name") return changeChannel(state, id, { name: event.value })
  if (event.property === "description") return changeChannel(state, id, { description: event.value })
  if (event.property === "invite_only") return changeChannel(state, id, { isPrivate: event.value })
  if (event.property === "is_archived") return changeChannel(state, id, { isArchived: event.value })
  if (event.property === "topics_policy") return changeChannel(state, id, { topicsPolicy: event.value })
  const permission = permissionNames[event.property]
  const channel = state.channels.get(id)
  if (permission === undefined || channel === undefined) return state
  return changeChannel(state, id, { permissions: { ...channel.permissions, [permission]: event.value } })
}

const onChannel = (state: PageState, event: Extract<Event, { readonly type: "stream" }>): PageState => {
  if (event.op === "update") return onChange(state, event)
  const channels = new Map(state.channels)
  if (event.op === "delete") {
    const left = event.stream_ids.reduce(leaveChannel, state)
    for (const id of event.stream_ids) channels.delete(id)
    return { ...left, channels }
  }
  for (const each of event.streams) {
    const known = channels.get(each.stream_id)
    if (known?.isSubscribed !== true) channels.set(each.stream_id, readChannel(each, false))
  }
  return { ...state, channels }
}

/** What one has muted leaves the feed of everything at once, as it would be gone when that is read again. */
const withoutMuted = (state: PageState): PageState => {
  const { feed } = state
  if (feed?.narrow.kind !== "all") return state
  const posts = feed.posts.filter((post) => post.senderId === state.self.id || !isPostMuted(state, post))
  return posts.length === feed.posts.length ? state : { ...state, feed: { ...feed, posts } }
}

/** Null for events of other things. */
export const reduceChannels = (state: PageState, event: Event): PageState | null => {
  if (event.type === "subscription") return onSubscription(state, event)
  if (event.type === "stream") return onChannel(state, event)
  if (event.type !== "user_topic") return null
  const { stream_id: channel, topic_name: topic, visibility_policy: policy } = event
  const key = conversationKey({ kind: "topic", channel, topic })
  return withoutMuted({ ...state, topicPolicies: new Map(state.topicPolicies).set(key, policy) })
}
