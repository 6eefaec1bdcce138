/** Where one writes: to what is open, or to whom one has chosen. It never chooses by itself. */
import type { Conversation } from "../../state/model.ts"
import { channelOf } from "../../state/narrow.ts"
import { mayPost } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useChat, useFields, useStore } from "../parts/hooks.ts"
import { MessageBox } from "./message-box.tsx"
import { NewMessage } from "./new-message.tsx"
import { attach } from "./text-editing.ts"
import { useDrop } from "./use-drop.ts"

/** In a feed of many conversations nothing is chosen until somebody does. */
const Closed = () => {
  const chat = useChat()
  return (
    <section class="compose closed" aria-label={words.write}>
      <button type="button" id="new-message" class="primary" onClick={() => chat.show({ isComposing: true })}>
        {words.newMessage}
      </button>
      <button type="button" onClick={() => chat.show({ dialog: { kind: "new-direct" } })}>
        {words.newDirect}
      </button>
      <p class="quiet">{words.chooseMessage}</p>
    </section>
  )
}

/** Why one may not write there; null where one may. */
const useRefusal = (channel: number | null): string | null => {
  const state = useFields("channels", "self", "groups", "permissions")
  if (channel === null) return null
  const found = state.channels.get(channel)
  if (found === undefined) return words.channelLost
  if (found.isArchived) return words.archived
  return mayPost(state, found) ? null : words.mayNotPost
}

const useTarget = (): Conversation | null => {
  const chat = useChat()
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const replyTo = useStore(chat.ui, (ui) => ui.replyTo)
  if (narrow.kind === "conversation") return narrow.conversation
  if (replyTo !== null) return replyTo
  return narrow.kind === "channel" ? { kind: "topic", channel: narrow.channel, topic: "" } : null
}

export const Compose = () => {
  const chat = useChat()
  const target = useTarget()
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const visit = useStore(chat.ui, (ui) => ui.visit)
  const isComposing = useStore(chat.ui, (ui) => ui.isComposing)
  const refusal = useRefusal(target?.kind === "topic" ? target.channel : channelOf(narrow))
  const isOver = useDrop((files) => {
    if (chat.ui.value.dialog !== null || files.length === 0) return
    if (target === null || refusal !== null) chat.say(refusal ?? words.dropNowhere)
    else attach(chat, target, files)
  })
  // The list says it already.
  if (refusal === words.channelLost) return null
  if (refusal !== null) return <p class="compose closed quiet">{refusal}</p>
  if (target === null) return isComposing ? <NewMessage /> : <Closed />
  // It stays when its conversation becomes another one, by a move or by a topic that is typed: who writes goes on writing.
  return <MessageBox key={visit} target={target} narrow={narrow.kind} isOver={isOver} />
}
