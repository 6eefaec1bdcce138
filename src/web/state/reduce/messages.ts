/** Events of messages: new ones, changes, flags, reactions and ends. */
import type { Api, Event } from "../../../client/index.ts"
import { addArrived, changePosts } from "../feed.ts"
import { type Conversation, conversationKey, type PagePost, type PageState } from "../model.ts"
import { deletedBy, movedTo } from "../moved-messages.ts"
import { belongs } from "../narrow.ts"
import { withAct } from "../poll.ts"
import { isPostMuted, moveUnread, withAllUnread, without, withoutUnread, withUnread } from "../unread.ts"
import { readPost, readWidgetAct, withReactionChange } from "../wire-posts.ts"

const withTopic = (state: PageState, post: PagePost): PageState["topics"] => {
  const { conversation } = post
  const known = conversation.kind === "topic" ? state.topics.get(conversation.channel) : undefined
  if (conversation.kind !== "topic" || known === undefined) return state.topics
  const name = conversation.topic
  const others = known.filter((topic) => topic.name.toLowerCase() !== name.toLowerCase())
  return new Map(state.topics).set(conversation.channel, [{ name, max_id: post.id }, ...others])
}

const withDirect = (state: PageState, { conversation, id }: PagePost): PageState["directs"] =>
  conversation.kind === "topic"
    ? state.directs
    : new Map(state.directs).set(conversationKey(conversation), { conversation, newest: id })

const stopTyping = (state: PageState, post: PagePost): PageState["typing"] => {
  const key = conversationKey(post.conversation)
  const typists = state.typing.get(key)
  if (typists === undefined) return state.typing
  return new Map(state.typing).set(
    key,
    typists.filter(({ user }) => user !== post.senderId),
  )
}

const onMessage = (state: PageState, event: Api.MessageEvent): PageState => {
  const post = readPost(state.self.id, event.message, event.flags)
  const isUnread = !post.flags.has("read")
  const marks = post.flags.has("mentioned") || post.flags.has("wildcard_mentioned")
  return {
    ...state,
    feed: addArrived(state, post),
    unread: isUnread ? withUnread(state.unread, post.conversation, [post.id]) : state.unread,
    unreadMentions: isUnread && marks ? new Set([...state.unreadMentions, post.id]) : state.unreadMentions,
    topics: withTopic(state, post),
    directs: withDirect(state, post),
    typing: stopTyping(state, post),
  }
}

const withFlag = (post: PagePost, flag: string, isAdded: boolean): PagePost => {
  if (post.flags.has(flag) === isAdded) return post
  return { ...post, flags: isAdded ? new Set([...post.flags, flag]) : without(post.flags, [flag]) }
}

const onFlagsAdd = (state: PageState, { flag, messages, all }: Api.UpdateMessageFlagsAddEvent): PageState => {
  const ids = new Set(messages)
  const feed =
    all && state.feed !== null
      ? { ...state.feed, posts: state.feed.posts.map((post) => withFlag(post, flag, true)) }
      : changePosts(state.feed, ids, (post) => withFlag(post, flag, true))
  if (flag === "starred") return { ...state, feed, starred: new Set([...state.starred, ...messages]) }
  if (flag !== "read") return { ...state, feed }
  if (all) return { ...state, feed, unread: new Map(), unreadMentions: new Set() }
  return {
    ...state,
    feed,
    unread: withoutUnread(state.unread, ids),
    unreadMentions: without(state.unreadMentions, messages),
  }
}

type Details = NonNullable<Api.UpdateMessageFlagsRemoveEvent["message_details"]>[string]

const placeOf = (self: number, details: Details): Conversation => {
  if (details.type === "stream") return { kind: "topic", channel: details.stream_id, topic: details.topic }
  return { kind: "direct", users: details.user_ids.length === 0 ? [self] : [...details.user_ids].sort((a, b) => a - b) }
}

const onFlagsRemove = (state: PageState, event: Api.UpdateMessageFlagsRemoveEvent): PageState => {
  const { flag, messages, message_details = {} } = event
  const feed = changePosts(state.feed, new Set(messages), (post) => withFlag(post, flag, false))
  if (flag === "starred") return { ...state, feed, starred: without(state.starred, messages) }
  if (flag !== "read") return { ...state, feed }
  const details = Object.entries(message_details)
  return {
    ...state,
    feed,
    unread: withAllUnread(
      state.unread,
      details.map(([id, each]) => [placeOf(state.self.id, each), Number(id)] as const),
    ),
    unreadMentions: new Set([
      ...state.unreadMentions,
      ...details.filter(([, { mentioned }]) => mentioned === true).map(([id]) => Number(id)),
    ]),
  }
}

/** Without the lists of the channels that a move has touched: live/message-loader.ts asks again for what is shown. */
const withoutLists = (all: PageState["topics"], channels: ReadonlyArray<number | undefined>): PageState["topics"] => {
  const left = new Map([...all].filter(([channel]) => !channels.includes(channel)))
  return left.size === all.size ? all : left
}

const onUpdate = (state: PageState, event: Api.UpdateMessageEvent): PageState => {
  const { message_id, message_ids, rendered_content, rendering_only, is_me_message, flags } = event
  const to = movedTo(event)
  const edited = changePosts(state.feed, new Set([message_id]), (post) =>
    rendered_content === undefined
      ? post
      : {
          ...post,
          html: rendered_content,
          isMe: is_me_message ?? post.isMe,
          isEdited: post.isEdited || !rendering_only,
          flags: new Set(flags),
        },
  )
  if (to === null) return { ...state, feed: edited }
  const feed = changePosts(edited, new Set(message_ids), (post) => {
    const moved: PagePost = { ...post, conversation: to, isMoved: true }
    return edited === null ||
      belongs(edited.narrow, moved, isPostMuted(state, moved)) ||
      edited.narrow.kind === "search"
      ? moved
      : null
  })
  const topics = withoutLists(state.topics, [event.stream_id, event.new_stream_id])
  return { ...state, feed, unread: moveUnread(state.unread, message_ids, to), topics }
}

const onDelete = (state: PageState, event: Api.DeleteMessageEvent): PageState => {
  const ids = new Set(deletedBy(event))
  return {
    ...state,
    feed: changePosts(state.feed, ids, () => null),
    unread: withoutUnread(state.unread, ids),
    unreadMentions: without(state.unreadMentions, ids),
    starred: without(state.starred, ids),
  }
}

const onAct = (state: PageState, event: Api.SubmessageEvent): PageState => ({
  ...state,
  feed: changePosts(state.feed, new Set([event.message_id]), (post) => ({
    ...post,
    acts: withAct(post.acts, readWidgetAct(event)),
  })),
})

/** Null for events of other things. */
export const reduceMessages = (state: PageState, event: Event): PageState | null => {
  if (event.type === "message") return onMessage(state, event)
  if (event.type === "update_message") return onUpdate(state, event)
  if (event.type === "delete_message") return onDelete(state, event)
  if (event.type === "update_message_flags")
    return event.op === "add" ? onFlagsAdd(state, event) : onFlagsRemove(state, event)
  if (event.type === "submessage") return onAct(state, event)
  if (event.type !== "reaction") return null
  const isAdded = event.op === "add"
  return {
    ...state,
    feed: changePosts(state.feed, new Set([event.message_id]), (post) => withReactionChange(post, event, isAdded)),
  }
}
