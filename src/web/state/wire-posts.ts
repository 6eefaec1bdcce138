/** Messages of the wire as the page holds them. */
import type { Api } from "../../client/index.ts"
import { type Act, directWith, type Post, type Reaction } from "./model.ts"

type Given = Api.Message | Api.SentMessage

const withReaction = (list: ReadonlyArray<Reaction>, given: Api.Reaction): ReadonlyArray<Reaction> => {
  const { emoji_name: name, emoji_code: code, reaction_type: type, user_id: user } = given
  const known = list.find((each) => each.code === code && each.type === type)
  if (known === undefined) return [...list, { name, code, type, users: [user] }]
  if (known.users.includes(user)) return list
  return list.map((each) => (each === known ? { ...each, users: [...each.users, user] } : each))
}

const withoutReaction = (list: ReadonlyArray<Reaction>, given: Api.Reaction): ReadonlyArray<Reaction> =>
  list
    .map((each) =>
      each.code === given.emoji_code && each.type === given.reaction_type
        ? { ...each, users: each.users.filter((user) => user !== given.user_id) }
        : each,
    )
    .filter(({ users }) => users.length > 0)

export const react = (post: Post, given: Api.Reaction, isAdded: boolean): Post => ({
  ...post,
  reactions: isAdded ? withReaction(post.reactions, given) : withoutReaction(post.reactions, given),
})

const reactionsOf = (given: Given): ReadonlyArray<Reaction> => {
  const all: ReadonlyArray<Api.Reaction> = given.reactions
  return all.reduce(withReaction, [])
}

export const readAct = ({ sender_id: senderId, content }: Api.Submessage | Api.SubmessageEvent): Act => ({
  senderId,
  content,
})

const wasEdited = (message: Given): { readonly isEdited: boolean; readonly isMoved: boolean } => ({
  isEdited: "last_edit_timestamp" in message && message.last_edit_timestamp !== undefined,
  isMoved: "last_moved_timestamp" in message && message.last_moved_timestamp !== undefined,
})

/** What a search has found is shown with its highlights. */
const htmlOf = (message: Given): string =>
  "match_content" in message && message.match_content !== undefined ? message.match_content : message.content

export const readPost = (self: number, message: Given, flags: ReadonlyArray<string>): Post => ({
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
  acts: message.submessages.map(readAct),
  ...wasEdited(message),
})
