/** The question that is open (live/confirm-questions.ts), above whatever else is. The focus is on the button that does nothing. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { words } from "../../words/words.ts"
import { onEscape } from "./escape.ts"
import { useChat, useStore } from "./hooks.ts"
import { Notice } from "./notice.tsx"
import { useOpener } from "./restore-focus.ts"

export const AskedQuestion = () => {
  const { questions } = useChat()
  const open = useStore(questions.open, (open) => open)
  const place = useRef<HTMLDialogElement>(null)
  const safe = useRef<HTMLButtonElement>(null)
  useOpener(open !== null)
  useLayoutEffect(() => {
    place.current?.showModal()
    safe.current?.focus()
  }, [open])
  if (open === null) return null
  const { title, text, action, isDanger = false, answer } = open
  return (
    <dialog
      // Another question is another dialog: this one is modal already.
      key={title}
      ref={place}
      class="question"
      role="alertdialog"
      tabIndex={-1}
      aria-labelledby="question"
      aria-describedby="question-text"
      onClose={() => answer(false)}
      onKeyDown={(event) => onEscape(event, () => answer(false))}
    >
      <h2 id="question">
        <bdi>{title}</bdi>
      </h2>
      <p id="question-text">{text}</p>
      <p class="row end">
        <button type="button" ref={safe} onClick={() => answer(false)}>
          {words.cancel}
        </button>
        <button type="button" class={isDanger ? "danger" : "primary"} onClick={() => answer(true)}>
          {action}
        </button>
      </p>
      <Notice isTop />
    </dialog>
  )
}
