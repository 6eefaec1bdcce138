/** What is asked or shown about one message, and those that are to be sent later. */
import { useEffect, useState } from "preact/hooks"
import type { Api } from "../../../client/index.ts"
import { type Conversation, directWith, type PagePost } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { Content } from "../parts/content.tsx"
import { useHandOn } from "../parts/hand-on-focus.ts"
import { useChat, useFields } from "../parts/hooks.ts"
import { conversationName, personName } from "../parts/place-names.tsx"
import { fullTime } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

type Version = Api.Operations["GET /messages/{message_id}/history"]["reply"]["message_history"][number]

export const EditHistory = ({ message }: { readonly message: number }) => {
  const chat = useChat()
  const state = useFields("people")
  const [versions, setVersions] = useState<ReadonlyArray<Version>>([])
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

export const DeleteMessage = ({ post }: { readonly post: PagePost }) => {
  const chat = useChat()
  const remove = async () => {
    // One that cannot be deleted is gone already, or too old by now: that is said, and there is nothing more to choose.
    await chat.try(chat.client.call("DELETE /messages/{message_id}", { message_id: post.id }))
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

const scheduledConversation = (self: number, { type, to, topic = "" }: Api.ScheduledMessage): Conversation => {
  const ids = typeof to === "number" ? [to] : to
  return type === "stream" ? { kind: "topic", channel: ids[0] ?? 0, topic } : directWith(self, ids)
}

const ScheduledRow = ({ message }: { readonly message: Api.ScheduledMessage }) => {
  const chat = useChat()
  const state = useFields("people", "self", "channels")
  const row = useHandOn<HTMLLIElement>()
  const { scheduled_message_id } = message
  const remove = () =>
    chat.try(chat.client.call("DELETE /scheduled_messages/{scheduled_message_id}", { scheduled_message_id }))
  return (
    <li ref={row}>
      <div class="grow">
        <p class="quiet">
          <b>{conversationName(state, scheduledConversation(state.self.id, message))}</b>{" "}
          {fullTime(message.scheduled_delivery_timestamp)}
        </p>
        <Content html={message.rendered_content} />
      </div>
      <button type="button" onClick={() => void remove()}>
        {words.remove}
      </button>
    </li>
  )
}

export const ScheduledMessages = () => {
  const { scheduled } = useFields("scheduled")
  return (
    <Dialog title={words.scheduled}>
      {scheduled.size === 0 && <p class="quiet">{words.noScheduled}</p>}
      <ul class="rows">
        {[...scheduled.values()].map((each) => (
          <ScheduledRow key={each.scheduled_message_id} message={each} />
        ))}
      </ul>
    </Dialog>
  )
}

export const PictureDialog = ({ url }: { readonly url: string }) => (
  <Dialog title={words.picture} class="wide">
    <img class="whole" src={url} alt={words.picture} />
  </Dialog>
)
