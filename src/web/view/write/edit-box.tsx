/** Changes a message where it stands. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Post } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useChat } from "../parts/hooks.ts"

export const EditBox = ({ post }: { readonly post: Post }) => {
  const chat = useChat()
  const [text, setText] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const asked = chat.client.call("GET /messages/{message_id}", { message_id: post.id, apply_markdown: false })
    void chat.try(asked.then(({ message }) => setText(message.content)))
  }, [post.id])
  const isThere = text !== null
  useEffect(() => field.current?.focus(), [isThere])

  const close = () => chat.show({ editing: null })
  const save = async () => {
    if (text === null || text.trim() === "") return
    const done = await chat.try(
      chat.client.call("PATCH /messages/{message_id}", { message_id: post.id, content: text }),
    )
    if (done) close()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") close()
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void save()
  }
  return (
    <div class="edit-box">
      <textarea
        ref={field}
        aria-label={words.edit}
        disabled={text === null}
        rows={Math.min(12, (text ?? "").split("\n").length + 1)}
        value={text ?? ""}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <p class="row">
        <button type="button" class="primary" onClick={() => void save()}>
          {words.save}
        </button>
        <button type="button" onClick={close}>
          {words.cancel}
        </button>
      </p>
    </div>
  )
}
