/** Changes a message where it stands. What was typed stays until it is saved or given up, wherever one looks meanwhile. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Observable } from "../../live/observable.ts"
import type { PagePost } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useChat, useChatState, useStore } from "../parts/hooks.ts"
import { CompletionList } from "./completion-list.tsx"
import { isSend } from "./text-editing.ts"
import { useCompletion } from "./use-completion.ts"

const noEdits = new Observable<ReadonlyMap<number, string | null>>(new Map())

/** Whether the message is being edited. */
export const useIsEdited = (id: number): boolean => {
  const chat = useChat()
  return useStore(chat.edits?.open ?? noEdits, (open) => open.has(id))
}

export const EditBox = ({ post: { id } }: { readonly post: PagePost }) => {
  const chat = useChat()
  const text = useStore(chat.edits?.open ?? noEdits, (open) => open.get(id) ?? null)
  const entersSends = useChatState(({ settings }) => settings?.enter_sends ?? true)
  const [caret, setCaret] = useState(0)
  const field = useRef<HTMLTextAreaElement>(null)
  const isThere = text !== null
  const wasThere = useRef(isThere)
  useEffect(() => {
    // Whoever only comes by again is not taken from where they are.
    if (!wasThere.current) field.current?.focus()
  }, [isThere])
  // Saved or given up, it takes the control that one has pressed with it.
  useLayoutEffect(() => {
    const message = field.current?.closest<HTMLElement>("[data-id]")
    return () => {
      if (message?.querySelector(".edit-box")?.contains(document.activeElement)) message.focus({ preventScroll: true })
    }
  }, [])
  const put = (next: string, at: number) => {
    setCaret(at)
    chat.edits?.write(id, next)
  }
  const completion = useCompletion(text ?? "", caret, (next, at) => {
    put(next, at)
    queueMicrotask(() => field.current?.setSelectionRange(at, at))
  })
  const close = () => chat.edits?.end(id)
  const save = () => void chat.try(chat.edits?.save(id) ?? Promise.resolve())
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || completion.onKey(event)) return
    if (event.key === "Escape") close()
    if (!isSend(event, entersSends)) return
    event.preventDefault()
    save()
  }
  return (
    <div class="edit-box">
      <textarea
        ref={field}
        aria-label={words.edit}
        disabled={!isThere}
        rows={Math.min(12, (text ?? "").split("\n").length + 1)}
        value={text ?? ""}
        onInput={(event) => put(event.currentTarget.value, event.currentTarget.selectionStart)}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKey}
      />
      {completion.offers.length > 0 && (
        <CompletionList offers={completion.offers} picked={completion.picked} onPick={completion.choose} />
      )}
      <p class="row">
        <button type="button" class="primary" disabled={(text ?? "").trim() === ""} onClick={save}>
          {words.save}
        </button>
        <button type="button" onClick={close}>
          {words.cancel}
        </button>
      </p>
    </div>
  )
}
