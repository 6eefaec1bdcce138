/** How conversations are called. */
import type { Conversation, PageNarrow, PageState } from "../../state/model.ts"
import { channelOf } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"

/** What names are read from. */
export type NameSources = Pick<PageState, "people" | "self" | "channels">

export const personName = (state: Pick<PageState, "people">, id: number): string =>
  state.people.get(id)?.name ?? words.unknownPerson

export const directName = (state: Pick<PageState, "people" | "self">, users: ReadonlyArray<number>): string =>
  users.length === 1 && users[0] === state.self.id
    ? `${personName(state, state.self.id)} (${words.you})`
    : users.map((id) => personName(state, id)).join(", ")

export const channelName = (state: Pick<PageState, "channels">, id: number): string =>
  state.channels.get(id)?.name ?? `${id}`

export const topicName = (topic: string): string => (topic === "" ? words.noTopic : topic)

export const conversationName = (state: NameSources, conversation: Conversation): string =>
  conversation.kind === "topic"
    ? `#${channelName(state, conversation.channel)} › ${topicName(conversation.topic)}`
    : directName(state, conversation.users)

export const narrowName = (state: NameSources, narrow: PageNarrow): string => {
  if (narrow.kind === "search") return words.results(narrow.words)
  if (narrow.kind !== "channel" && narrow.kind !== "conversation") return words[narrow.kind]
  const id = channelOf(narrow)
  if (id !== null && !state.channels.has(id)) return words.unknownChannel
  return narrow.kind === "channel"
    ? `#${channelName(state, narrow.channel)}`
    : conversationName(state, narrow.conversation)
}

/** The channel's own colour, as its sign. */
export const ChannelSign = ({ color, isPrivate }: { readonly color: string; readonly isPrivate: boolean }) => (
  <span class={`channel-sign ${isPrivate ? "private" : ""}`} style={{ "--sign": color }} aria-hidden="true">
    {isPrivate ? "◆" : "#"}
  </span>
)
