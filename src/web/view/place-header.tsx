/** What is shown, by name, what can be done with it, and the search. */
import { useEffect, useState as useOwn } from "preact/hooks"
import { type Conversation, conversationKey, type Narrow, type State } from "../state/model.ts"
import { linkTo } from "../state/narrow.ts"
import { mayAddSubscribers } from "../state/rights.ts"
import { words } from "../words/words.ts"
import { useChat, useState, useStore } from "./parts/hooks.ts"
import { Icon, IconButton } from "./parts/icons.tsx"
import { ChannelSign, directName, topicName } from "./parts/place-names.tsx"

const Title = ({ state, narrow }: { readonly state: State; readonly narrow: Narrow }) => {
  if (narrow.kind === "search") return <h1>{words.results(narrow.words)}</h1>
  if (narrow.kind === "all" || narrow.kind === "mentions" || narrow.kind === "starred")
    return <h1>{words[narrow.kind]}</h1>
  const conversation: Conversation =
    narrow.kind === "channel" ? { kind: "topic", channel: narrow.channel, topic: "" } : narrow.conversation
  if (conversation.kind === "direct") return <h1>{directName(state, conversation.users)}</h1>
  const id = conversation.channel
  const topic = narrow.kind === "channel" ? null : conversation.topic
  const channel = state.channels.get(id)
  return (
    <h1>
      <ChannelSign color={channel?.color ?? "#7a8699"} isPrivate={channel?.isPrivate ?? false} />
      {topic === null ? (
        <bdi>{channel?.name}</bdi>
      ) : (
        <>
          <a href={linkTo({ kind: "channel", channel: id })}>
            <bdi>{channel?.name}</bdi>
          </a>
          <span class="step" aria-hidden="true">
            ›
          </span>
          <bdi>{topicName(topic)}</bdi>
        </>
      )}
    </h1>
  )
}

const ChannelActions = ({ state, id }: { readonly state: State; readonly id: number }) => {
  const chat = useChat()
  const channel = state.channels.get(id)
  if (channel === undefined) return null
  const set = (property: string, value: boolean) =>
    chat.try(
      chat.client.call("POST /users/me/subscriptions/properties", {
        subscription_data: [{ stream_id: id, property, value }],
      }),
    )
  const settings = (
    <IconButton
      icon="gear"
      label={words.channelSettings}
      onClick={() => chat.show({ dialog: { kind: "channel-settings", channel: id } })}
    />
  )
  if (!channel.isSubscribed)
    return (
      <>
        <button
          type="button"
          class="primary"
          onClick={() =>
            chat.try(chat.client.call("POST /users/me/subscriptions", { subscriptions: [{ name: channel.name }] }))
          }
        >
          {words.subscribe}
        </button>
        {settings}
      </>
    )
  return (
    <>
      {mayAddSubscribers(state, channel) && (
        <IconButton
          icon="people"
          label={words.addPeople}
          onClick={() => chat.show({ dialog: { kind: "add-people", channel: id } })}
        />
      )}
      <IconButton
        icon="star"
        isOn={channel.isPinned}
        label={channel.isPinned ? words.unpin : words.pin}
        onClick={() => set("pin_to_top", !channel.isPinned)}
      />
      <IconButton
        icon="bell"
        isOn={channel.isMuted}
        label={channel.isMuted ? words.unmute : words.mute}
        onClick={() => set("is_muted", !channel.isMuted)}
      />
      <IconButton
        icon="check"
        label={words.markRead}
        onClick={() => chat.try(chat.client.call("POST /mark_stream_as_read", { stream_id: id }))}
      />
      {settings}
    </>
  )
}

const TopicActions = ({ state, channel, topic }: { state: State; channel: number; topic: string }) => {
  const chat = useChat()
  const policy = state.topicPolicies.get(conversationKey({ kind: "topic", channel, topic })) ?? 0
  const set = (visibility_policy: 0 | 1 | 3) =>
    chat.try(chat.client.call("POST /user_topics", { stream_id: channel, topic, visibility_policy }))
  return (
    <>
      <IconButton
        icon="eye"
        isOn={policy === 3}
        label={policy === 3 ? words.unfollow : words.follow}
        onClick={() => set(policy === 3 ? 0 : 3)}
      />
      <IconButton
        icon="bell"
        isOn={policy === 1}
        label={policy === 1 ? words.unmute : words.mute}
        onClick={() => set(policy === 1 ? 0 : 1)}
      />
      <IconButton
        icon="check"
        label={words.markRead}
        onClick={() =>
          chat.try(chat.client.call("POST /mark_topic_as_read", { stream_id: channel, topic_name: topic }))
        }
      />
    </>
  )
}

const Search = ({ narrow }: { readonly narrow: Narrow }) => {
  const given = narrow.kind === "search" ? narrow.words : ""
  const [text, setText] = useOwn(given)
  useEffect(() => setText(given), [given])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== "") location.hash = linkTo({ kind: "search", words: text.trim() })
  }
  return (
    <search class="search">
      <form onSubmit={submit}>
        <Icon name="search" />
        <input
          id="search"
          type="search"
          placeholder={words.search}
          aria-label={words.searchMessages}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}

export const PlaceHeader = () => {
  const chat = useChat()
  const state = useState((state) => state)
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const description = narrow.kind === "channel" ? (state.channels.get(narrow.channel)?.description ?? "") : ""
  return (
    <header class="place-header">
      <IconButton class="phone" icon="menu" label={words.menu} onClick={() => chat.show({ isMenuOpen: true })} />
      <div class="title">
        <Title state={state} narrow={narrow} />
        {description !== "" && (
          <p class="quiet">
            <bdi>{description}</bdi>
          </p>
        )}
      </div>
      <div class="tools">
        {narrow.kind === "all" && (
          <IconButton
            icon="check"
            label={words.markAllRead}
            onClick={() => void chat.try(chat.client.call("POST /mark_all_as_read"))}
          />
        )}
        {narrow.kind === "channel" && <ChannelActions state={state} id={narrow.channel} />}
        {narrow.kind === "conversation" && narrow.conversation.kind === "topic" && (
          <TopicActions state={state} channel={narrow.conversation.channel} topic={narrow.conversation.topic} />
        )}
        {narrow.kind === "conversation" && narrow.conversation.kind === "direct" && (
          <IconButton icon="check" label={words.markRead} onClick={() => chat.try(chat.marks.readAll(narrow))} />
        )}
      </div>
      <Search narrow={narrow} />
    </header>
  )
}
