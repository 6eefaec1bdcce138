/** What is shown, by name, what can be done with it, and the search. */
import { useEffect, useState } from "preact/hooks"
import type { Conversation, PageNarrow } from "../state/model.ts"
import { linkTo, narrowKey } from "../state/narrow.ts"
import { words } from "../words/words.ts"
import { useChat, useChatState, useFields, useStore } from "./parts/hooks.ts"
import { Icon, IconButton } from "./parts/icons.tsx"
import { ChannelSign, directName, topicName } from "./parts/place-names.tsx"
import { PlaceActions } from "./place-actions.tsx"

const Title = ({ narrow }: { readonly narrow: PageNarrow }) => {
  const state = useFields("people", "self", "channels")
  if (narrow.kind === "search") return <h1>{words.results(narrow.words)}</h1>
  if (narrow.kind === "all" || narrow.kind === "mentions" || narrow.kind === "starred")
    return <h1>{words[narrow.kind]}</h1>
  const conversation: Conversation =
    narrow.kind === "channel" ? { kind: "topic", channel: narrow.channel, topic: "" } : narrow.conversation
  if (conversation.kind === "direct") return <h1>{directName(state, conversation.users)}</h1>
  const id = conversation.channel
  const topic = narrow.kind === "channel" ? null : conversation.topic
  const channel = state.channels.get(id)
  if (channel === undefined) return <h1>{words.unknownChannel}</h1>
  return (
    <h1>
      <ChannelSign color={channel.color} isPrivate={channel.isPrivate} />
      {topic === null ? (
        <bdi>{channel.name}</bdi>
      ) : (
        <>
          <a href={linkTo({ kind: "channel", channel: id })}>
            <bdi>{channel.name}</bdi>
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

const Search = ({ narrow }: { readonly narrow: PageNarrow }) => {
  const given = narrow.kind === "search" ? narrow.words : ""
  const [text, setText] = useState(given)
  useEffect(() => setText(given), [given])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === "") return
    location.hash = linkTo({ kind: "search", words: text.trim() })
    // On a phone it stands above what it has found until it is left.
    if (matchMedia("(max-width: 720px)").matches) document.querySelector<HTMLElement>("#search")?.blur()
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
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const isMenuOpen = useStore(chat.ui, (ui) => ui.isMenuOpen)
  const description = useChatState(({ channels }) =>
    narrow.kind === "channel" ? (channels.get(narrow.channel)?.description ?? "") : "",
  )
  return (
    <header class="place-header">
      <IconButton
        class="phone"
        icon="menu"
        label={words.menu}
        isOpen={isMenuOpen}
        onClick={() => chat.show({ isMenuOpen: true })}
      />
      <div class="title">
        <Title narrow={narrow} />
        {description !== "" && (
          <p class="quiet">
            <bdi>{description}</bdi>
          </p>
        )}
      </div>
      <div class="tools">
        <PlaceActions key={narrowKey(narrow)} narrow={narrow} />
        <IconButton
          class="phone"
          icon="search"
          label={words.searchMessages}
          onClick={() => document.querySelector<HTMLElement>("#search")?.focus()}
        />
      </div>
      <Search narrow={narrow} />
    </header>
  )
}
