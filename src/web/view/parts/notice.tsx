/**
 * What is said once. While something modal is open, all else is neither seen well nor read out, so each of the page, a dialog and a
 * question has a live region of its own, and the topmost one speaks.
 */
import { words } from "../../words/words.ts"
import { useChat, useStore } from "./hooks.ts"
import { IconButton } from "./icons.tsx"

/** `isTop`: it stands in what is above all else. */
export const Notice = ({ isTop }: { readonly isTop: boolean }) => {
  const chat = useChat()
  const { ui } = chat
  const notice = useStore(ui, (ui) => ui.notice)
  const link = useStore(ui, (ui) => ui.noticeLink)
  return (
    <div class="notice" role="status" aria-live="polite">
      {isTop && notice !== null && (
        <p>
          {notice} {link !== null && <a href={link}>{words.show}</a>}
          <IconButton icon="close" label={words.close} onClick={() => chat.show({ notice: null })} />
        </p>
      )}
    </div>
  )
}

/** What is above all else, of the page, its dialog and a question. */
export const useTop = (): "page" | "dialog" | "question" => {
  const chat = useChat()
  const isAsked = useStore(chat.questions.open, (open) => open !== null)
  const isOpen = useStore(chat.ui, (ui) => ui.dialog !== null)
  return isAsked ? "question" : isOpen ? "dialog" : "page"
}
