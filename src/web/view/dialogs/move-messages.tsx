/** Moves messages to another topic, or to one of another channel. */
import { useMemo, useState } from "preact/hooks"
import type { PagePost } from "../../state/model.ts"
import { byName } from "../../state/people.ts"
import { mayPost } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { FaultLine, Field, useFaults } from "../parts/form-faults.tsx"
import { useChat, useChatState, useFields } from "../parts/hooks.ts"
import { useEdits } from "../parts/use-form-edits.ts"
import { Dialog, useUnsaved } from "./dialog.tsx"

const nowhere = { channel: 0, topic: "" }

type MoveMode = "change_one" | "change_later" | "change_all"

const modes: ReadonlyArray<readonly [mode: MoveMode, name: string]> = [
  ["change_one", words.moveOne],
  ["change_later", words.moveLater],
  ["change_all", words.moveAll],
]

export const MoveMessages = ({ post: opened }: { readonly post: PagePost }) => {
  const chat = useChat()
  // As it is now: somebody else may move it meanwhile.
  const post = useChatState(({ feed }) => feed?.posts.find(({ id }) => id === opened.id)) ?? opened
  const state = useFields("channels", "self", "groups", "permissions", "limits")
  const { conversation } = post
  const from = conversation.kind === "topic" ? { channel: conversation.channel, topic: conversation.topic } : nowhere
  const { shown, touched, isChanged, edit } = useEdits(from)
  const { topic, channel } = shown
  const [mode, setMode] = useState<MoveMode>("change_one")
  const faults = useFaults("topic")
  useUnsaved(isChanged)
  const { channels } = state
  const open = useMemo(
    () =>
      [...channels.values()]
        .filter((each) => each.id === from.channel || (!each.isArchived && mayPost(state, each)))
        .sort(byName),
    [channels],
  )
  const offered = [
    [words.yourChannels, open.filter(({ isSubscribed }) => isSubscribed)],
    [words.otherChannels, open.filter(({ isSubscribed }) => !isSubscribed)],
  ] as const
  const move = async (event: Event) => {
    event.preventDefault()
    const stream_id = touched.channel === from.channel ? undefined : touched.channel
    const params = { message_id: post.id, topic: touched.topic?.trim(), stream_id, propagate_mode: mode }
    if (params.topic === undefined && stream_id === undefined) return chat.show({ dialog: null })
    if (await faults.try(chat.client.call("PATCH /messages/{message_id}", params))) chat.show({ dialog: null })
  }
  return (
    <Dialog title={words.moveTitle} class="narrow">
      <form class="fields" onSubmit={move}>
        <label>
          <span>{words.channels}</span>
          <select value={channel} onChange={(event) => edit({ channel: Number(event.currentTarget.value) })}>
            {offered.map(
              ([label, some]) =>
                some.length > 0 && (
                  <optgroup key={label} label={label}>
                    {some.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </optgroup>
                ),
            )}
          </select>
        </label>
        <Field
          faults={faults}
          name="topic"
          label={words.topic}
          maxLength={state.limits.topic}
          value={topic}
          onChange={(topic) => edit({ topic })}
        />
        {modes.map(([each, name]) => (
          <label class="check" key={each}>
            <input type="radio" name="mode" checked={mode === each} onChange={() => setMode(each)} />
            <span>{name}</span>
          </label>
        ))}
        <FaultLine faults={faults} />
        <p class="row">
          <button type="submit" class="primary">
            {words.move}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
