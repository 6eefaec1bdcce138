/** How conversations are called. */
import type { Conversation, State } from "../../state/model.ts"
import { words } from "../../words/words.ts"

export const personName = (state: State, id: number): string => state.people.get(id)?.name ?? words.unknownPerson

export const directName = (state: State, users: ReadonlyArray<number>): string =>
  users.length === 1 && users[0] === state.self.id
    ? `${personName(state, state.self.id)} (${words.you})`
    : users.map((id) => personName(state, id)).join(", ")

export const channelName = (state: State, id: number): string => state.channels.get(id)?.name ?? `${id}`

export const topicName = (topic: string): string => (topic === "" ? words.noTopic : topic)

export const conversationName = (state: State, conversation: Conversation): string =>
  conversation.kind === "topic"
    ? `#${channelName(state, conversation.channel)} › ${topicName(conversation.topic)}`
    : directName(state, conversation.users)

/** The channel's own colour, as its sign. */
export const ChannelSign = ({ color, isPrivate }: { readonly color: string; readonly isPrivate: boolean }) => (
  <span class={`channel-sign ${isPrivate ? "private" : ""}`} style={{ "--sign": color }} aria-hidden="true">
    {isPrivate ? "◆" : "#"}
  </span>
)
