/** Messages of the wire as the page holds them. */
import type { Api } from "../../client/index.ts"
import { directWith, type PagePost, type PostReaction, type WidgetAct } from "./model.ts"

type WireMessage = Api.Message | Api.SentMessage

const withReaction = (list: ReadonlyArray<PostReaction>, given: Api.Reaction): ReadonlyArray<PostReaction> => {
  const { emoji_name: name, emoji_code: code, reaction_type: type, user_id: user } = given
  const known = list.find((each) => each.code === code && each.type === type)
  if (known === undefined) return [...list, { name, code, type, users: [user] }]
  if (known.users.includes(user)) return list
  return list.map((each) => (each === known ? { ...each, users: [...each.users, user] } : each))
}

const withoutReaction = (list: ReadonlyArray<PostReaction>, given: Api.Reaction): ReadonlyArray<PostReaction> =>
  list
    .map((each) =>
      each.code === given.emoji_code && each.type === given.reaction_type
        ? { ...each, users: each.users.filter((user) => user !== given.user_id) }
        : each,
    )
    .filter(({ users }) => users.length > 0)

export const withReactionChange = (post: PagePost, given: Api.Reaction, isAdded: boolean): PagePost => ({
  ...post,
  reactions: isAdded ? withReaction(post.reactions, given) : withoutReaction(post.reactions, given),
})

const reactionsOf = (given: WireMessage): ReadonlyArray<PostReaction> => {
  const all: ReadonlyArray<Api.Reaction> = given.reactions
  return all.reduce(withReaction, [])
}

export const readWidgetAct = ({ sender_id: senderId, content }: Api.Submessage | Api.SubmessageEvent): WidgetAct => ({
  senderId,
  content,
})

const editFlags = (message: WireMessage): { readonly isEdited: boolean; readonly isMoved: boolean } => ({
  isEdited: "last_edit_timestamp" in message && message.last_edit_timestamp !== undefined,
  isMoved: "last_moved_timestamp" in message && message.last_moved_timestamp !== undefined,
})

/** What a search has found is shown with its highlights. */
const htmlOf = (message: WireMessage): string =>
  "match_content" in message && message.match_content !== undefined ? message.match_content : message.content

export const readPost = (self: number, message: WireMessage, flags: ReadonlyArray<string>): PagePost => ({
  id: message.id,
  conversation:
    message.type === "stream"
      ? { kind: "topic", channel: message.stream_id, topic: message.subject }
      : directWith(
          self,
          message.display_recipient.map(({ id }) => id),
        ),
  senderId: message.sender_id,
  senderName: message.sender_full_name,
  avatarUrl: message.avatar_url,
  time: message.timestamp,
  html: htmlOf(message),
  isMe: message.is_me_message,
  flags: new Set(flags),
  reactions: reactionsOf(message),
  acts: message.submessages.map(readWidgetAct),
  ...editFlags(message),
})
