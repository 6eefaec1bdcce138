/** Where what is written goes, for all to see; in a whole channel one says which topic. */
import { useEffect, useState } from "preact/hooks"
import type { Conversation } from "../../state/model.ts"
import { joined } from "../../state/resend-rules.ts"
import { needsTopic } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useChat, useChatState, useFields } from "../parts/hooks.ts"
import { ChannelSign, channelName, directName, topicName } from "../parts/place-names.tsx"

interface Props {
  readonly target: Conversation
  /** In place of the topic. */
  readonly children: preact.ComponentChildren
}

export const MessageTarget = ({ target, children }: Props) => {
  const state = useFields("people", "self", "channels")
  if (target.kind === "direct")
    return (
      <div class="target">
        <span class="quiet">{words.to}</span>
        <b dir="auto">{directName(state, target.users)}</b>
      </div>
    )
  const channel = state.channels.get(target.channel)
  return (
    <div class="target">
      <span class="quiet">{words.to}</span>
      <ChannelSign color={channel?.color ?? "#7a8699"} isPrivate={channel?.isPrivate ?? false} />
      <b dir="auto">{channelName(state, target.channel)}</b>
      <span class="step" aria-hidden="true">
        ›
      </span>
      {children || <b dir="auto">{topicName(target.topic)}</b>}
    </div>
  )
}

interface TopicProps {
  readonly target: Conversation
  readonly text: string
}

/** The box goes along with the topic. */
export const TopicField = ({ target, text }: TopicProps) => {
  const chat = useChat()
  const channel = target.kind === "topic" ? target.channel : 0
  const topics = useChatState((state) => state.topics.get(channel))
  const { limits, emptyTopic, topicsPolicy, channels } = useFields("limits", "emptyTopic", "topicsPolicy", "channels")
  const found = channels.get(channel)
  const isNeeded = found !== undefined && needsTopic({ topicsPolicy }, found)
  const [typed, setTyped] = useState("")
  const known = target.kind === "topic" ? target.topic : ""
  useEffect(() => setTyped(known), [known])
  const choose = (topic: string) => {
    const replyTo: Conversation = { kind: "topic", channel, topic }
    if (text !== "") {
      chat.drafts?.write(target, "")
      chat.drafts?.write(replyTo, joined(text, chat.drafts.read(replyTo)))
    }
    chat.uploads.move(target, replyTo)
    chat.show({ replyTo })
  }
  return (
    <label class="topic-field">
      <span class="unseen">{words.topic}</span>
      <input
        id="topic"
        list="topics"
        maxLength={limits.topic}
        placeholder={isNeeded ? words.newTopic : words.topicOrNone(emptyTopic)}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => choose(event.currentTarget.value.trim())}
      />
      <datalist id="topics">
        {(topics ?? []).slice(0, 40).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  )
}
