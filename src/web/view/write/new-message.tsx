/** Asks where a new message goes, in a feed where nothing says it. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { mayPost, needsTopic } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { onEscape } from "../parts/escape.ts"
import { useChat, useFields } from "../parts/hooks.ts"
import { channelName } from "../parts/place-names.tsx"

/** What one was writing in is gone: the button that begins something new stands there once it is drawn. */
export const focusNewMessage = (): void =>
  queueMicrotask(() => document.querySelector<HTMLElement>("#new-message")?.focus())

export const NewMessage = () => {
  const chat = useChat()
  const state = useFields("channels", "self", "groups", "permissions", "limits", "topicsPolicy", "emptyTopic")
  const [channel, setChannel] = useState(0)
  const [topic, setTopic] = useState("")
  const channels = [...state.channels.values()]
    .filter((each) => each.isSubscribed && !each.isArchived && mayPost(state, each))
    .sort((a, b) => a.name.localeCompare(b.name))
  const chosen = state.channels.get(channel)
  const first = useRef<HTMLSelectElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const leave = () => {
    chat.show({ isComposing: false })
    focusNewMessage()
  }
  const begin = (event: Event) => {
    event.preventDefault()
    if (chosen === undefined) return
    chat.show({ replyTo: { kind: "topic", channel, topic: topic.trim() }, isComposing: false })
  }
  return (
    <form
      class="compose closed"
      aria-label={words.newMessage}
      onSubmit={begin}
      onKeyDown={(event) => onEscape(event, leave)}
    >
      <select
        ref={first}
        required
        aria-label={words.chooseChannel}
        value={channel === 0 ? "" : channel}
        onChange={(event) => setChannel(Number(event.currentTarget.value))}
      >
        <option value="">{words.chooseChannel}</option>
        {channels.map(({ id }) => (
          <option key={id} value={id}>
            {channelName(state, id)}
          </option>
        ))}
      </select>
      <input
        class="grow"
        aria-label={words.topic}
        placeholder={words.topicOrNone(state.emptyTopic)}
        required={chosen !== undefined && needsTopic(state, chosen)}
        maxLength={state.limits.topic}
        value={topic}
        onInput={(event) => setTopic(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        {words.begin}
      </button>
      <button type="button" onClick={leave}>
        {words.cancel}
      </button>
    </form>
  )
}
