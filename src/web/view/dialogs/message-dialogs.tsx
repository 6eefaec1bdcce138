/** What is asked or shown about one message, and those that are to be sent later. */
import { useEffect, useState as useOwn } from "preact/hooks"
import type { Api } from "../../../client/index.ts"
import type { Post } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { Content } from "../parts/content.tsx"
import { useChat, useState } from "../parts/hooks.ts"
import { personName } from "../parts/place-names.tsx"
import { fullTime } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

type Version = Api.Operations["GET /messages/{message_id}/history"]["reply"]["message_history"][number]

export const History = ({ message }: { readonly message: number }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const [versions, setVersions] = useOwn<ReadonlyArray<Version>>([])
  useEffect(() => {
    const asked = chat.client.call("GET /messages/{message_id}/history", { message_id: message })
    void chat.try(asked.then(({ message_history }) => setVersions(message_history)))
  }, [message])
  return (
    <Dialog title={words.history}>
      <ol class="history">
        {versions.toReversed().map((version) => (
          <li key={version.timestamp}>
            <p class="quiet">
              {version.user_id === null ? "" : personName(state, version.user_id)} · {fullTime(version.timestamp)} ·{" "}
              {version.topic}
            </p>
            <Content html={version.rendered_content} />
          </li>
        ))}
      </ol>
    </Dialog>
  )
}

export const Delete = ({ post }: { readonly post: Post }) => {
  const chat = useChat()
  const remove = async () => {
    if (await chat.try(chat.client.call("DELETE /messages/{message_id}", { message_id: post.id })))
      chat.show({ dialog: null })
  }
  return (
    <Dialog title={words.deleteTitle} class="narrow">
      <p>{words.deleteHint}</p>
      <div class="quoted">
        <Content html={post.html} />
      </div>
      <p class="row">
        <button type="button" class="danger" onClick={() => void remove()}>
          {words.remove}
        </button>
        <button type="button" onClick={() => chat.show({ dialog: null })}>
          {words.cancel}
        </button>
      </p>
    </Dialog>
  )
}

type Mode = "change_one" | "change_later" | "change_all"

const modes: ReadonlyArray<readonly [mode: Mode, name: string]> = [
  ["change_one", words.moveOne],
  ["change_later", words.moveLater],
  ["change_all", words.moveAll],
]

export const Move = ({ post }: { readonly post: Post }) => {
  const chat = useChat()
  const channels = useState((state) => state.channels)
  const { conversation } = post
  const from = conversation.kind === "topic" ? conversation : { channel: 0, topic: "" }
  const [topic, setTopic] = useOwn(from.topic)
  const [channel, setChannel] = useOwn(from.channel)
  const [mode, setMode] = useOwn<Mode>("change_one")
  const move = async (event: Event) => {
    event.preventDefault()
    const stream_id = channel === from.channel ? undefined : channel
    const params = { message_id: post.id, topic: topic.trim(), stream_id, propagate_mode: mode }
    if (await chat.try(chat.client.call("PATCH /messages/{message_id}", params))) chat.show({ dialog: null })
  }
  return (
    <Dialog title={words.moveTitle} class="narrow">
      <form class="fields" onSubmit={move}>
        <label>
          <span>{words.channels}</span>
          <select value={channel} onChange={(event) => setChannel(Number(event.currentTarget.value))}>
            {[...channels.values()]
              .filter(({ isArchived }) => !isArchived)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        <label>
          <span>{words.topic}</span>
          <input value={topic} onInput={(event) => setTopic(event.currentTarget.value)} />
        </label>
        {modes.map(([each, name]) => (
          <label class="check" key={each}>
            <input type="radio" name="mode" checked={mode === each} onChange={() => setMode(each)} />
            <span>{name}</span>
          </label>
        ))}
        <p class="row">
          <button type="submit" class="primary">
            {words.move}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

export const Scheduled = () => {
  const chat = useChat()
  const scheduled = useState((state) => state.scheduled)
  const remove = (scheduled_message_id: number) =>
    chat.try(chat.client.call("DELETE /scheduled_messages/{scheduled_message_id}", { scheduled_message_id }))
  return (
    <Dialog title={words.scheduled}>
      {scheduled.size === 0 && <p class="quiet">{words.noScheduled}</p>}
      <ul class="rows">
        {[...scheduled.values()].map((each) => (
          <li key={each.scheduled_message_id}>
            <div class="grow">
              <p class="quiet">{fullTime(each.scheduled_delivery_timestamp)}</p>
              <Content html={each.rendered_content} />
            </div>
            <button type="button" onClick={() => void remove(each.scheduled_message_id)}>
              {words.remove}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

export const Picture = ({ url }: { readonly url: string }) => (
  <Dialog title={words.picture} class="wide">
    <img class="whole" src={url} alt={words.picture} />
  </Dialog>
)
