/** What stands below the text: files, emoji, preview, a later time, and Send. */
import type { RefObject } from "preact"
import { useState } from "preact/hooks"
import type { Conversation } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { EmojiPicker } from "../parts/emoji-picker.tsx"
import { useChat } from "../parts/hooks.ts"
import { Icon, IconButton } from "../parts/icons.tsx"
import { SendLater } from "./send-later.tsx"
import { attach, insertText } from "./text-editing.ts"

interface Props {
  readonly target: Conversation
  readonly text: string
  readonly field: RefObject<HTMLTextAreaElement>
  readonly isPreviewed: boolean
  /** Null: the text itself is shown again. */
  readonly onPreview: (html: string | null) => void
  readonly onClear: () => void
  readonly hint: string
  readonly fault: string
  readonly onSend: () => void
  readonly mayNotSend: boolean
}

const AttachButton = ({ target }: { readonly target: Conversation }) => {
  const chat = useChat()
  return (
    <label class="icon-button" title={words.attach}>
      <span class="unseen">{words.attach}</span>
      <input
        type="file"
        multiple
        class="unseen"
        onChange={(event) => {
          attach(chat, target, event.currentTarget.files ?? [])
          event.currentTarget.value = ""
        }}
      />
      <Icon name="clip" />
    </label>
  )
}

export const BoxTools = ({ target, text, field, isPreviewed, ...props }: Props) => {
  const chat = useChat()
  const [isPicking, setPicking] = useState(false)
  const showPreview = () => {
    if (isPreviewed) return props.onPreview(null)
    const asked = chat.client.call("POST /messages/render", { content: text })
    void chat.try(asked.then(({ rendered }) => props.onPreview(rendered)))
  }
  const pick = ({ name }: { readonly name: string }) => {
    setPicking(false)
    if (field.current !== null) insertText(field.current, `:${name}: `)
    field.current?.focus()
  }
  return (
    <>
      <div class="compose-tools">
        <AttachButton target={target} />
        <IconButton icon="smile" label={words.emoji} isOpen={isPicking} onClick={() => setPicking(!isPicking)} />
        <IconButton icon="eye" label={words.preview} isOn={isPreviewed} onClick={showPreview} />
        <SendLater target={target} text={text} onDone={props.onClear} />
        <span class="quiet grow">
          {props.fault === "" ? (
            props.hint
          ) : (
            <b class="fault" role="alert">
              {props.fault}
            </b>
          )}
        </span>
        <button type="button" class="primary send" disabled={props.mayNotSend} onClick={props.onSend}>
          {words.send}
        </button>
      </div>
      {isPicking && <EmojiPicker onClose={() => setPicking(false)} onPick={pick} />}
    </>
  )
}
