/** What people do in a message that is more than its text. */
import { useRef, useState } from "preact/hooks"
import type { ChatSession } from "../../live/chat.ts"
import type { PagePost } from "../../state/model.ts"
import { words } from "../../words/words.ts"

/** Answers whether it was done. */
export const act = (chat: ChatSession, post: PagePost, content: object): Promise<boolean> =>
  chat.try(
    chat.client.call("POST /submessage", {
      message_id: post.id,
      msg_type: "widget",
      content: JSON.stringify(content),
    }),
  )

interface Props {
  readonly label: string
  /** Of a text that is not empty. */
  readonly onAdd: (text: string) => Promise<boolean>
}

export const AddForm = ({ label, onAdd }: Props) => {
  const [text, setText] = useState("")
  const field = useRef<HTMLInputElement>(null)
  const add = async (event: Event) => {
    event.preventDefault()
    const added = text.trim()
    // What was typed meanwhile stays.
    if (added === "" || !(await onAdd(added))) return
    setText((now) => (now.trim() === added ? "" : now))
    // With nothing to add the button is off, and loses the focus.
    if (field.current?.form?.contains(document.activeElement)) field.current.focus()
  }
  return (
    <form class="row" onSubmit={add}>
      <input
        ref={field}
        class="grow"
        placeholder={label}
        aria-label={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={text.trim() === ""}>
        {words.add}
      </button>
    </form>
  )
}
