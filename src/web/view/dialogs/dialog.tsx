/** What stands above the page: the browser keeps the focus in it. What is unsaved in it is not thrown away without a question. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { ChatSession } from "../../live/chat.ts"
import type { DialogState as Kind } from "../../live/ui-state.ts"
import { words } from "../../words/words.ts"
import { onEscape } from "../parts/escape.ts"
import { useChat } from "../parts/hooks.ts"
import { IconButton } from "../parts/icons.tsx"
import { Notice, useTop } from "../parts/notice.tsx"

/** A form in the dialog has, or has not, what is not saved. */
export const useUnsaved = (isUnsaved: boolean): void => {
  const { unsaved } = useChat()
  const self = useRef({})
  useLayoutEffect(() => {
    if (isUnsaved) unsaved.add(self.current)
    return () => void unsaved.delete(self.current)
  }, [isUnsaved])
}

/** Goes from the open dialog to another, or to none. */
export const leaveDialog = async (chat: ChatSession, dialog: Kind | null = null): Promise<void> => {
  const { unsavedTitle: title, unsavedText: text, unsavedAction: action } = words
  if (chat.unsaved.size === 0 || (await chat.ask({ title, text, action, isDanger: true }))) chat.show({ dialog })
}

/** On what is behind it. Its own scrollbar has the same target. */
const isBeside = (place: HTMLElement | null, { target, clientX: x, clientY: y }: MouseEvent): boolean => {
  if (place === null || target !== place) return false
  const { left, right, top, bottom } = place.getBoundingClientRect()
  return x < left || x > right || y < top || y > bottom
}

const firstField = 'input:is([type="search"], [type="text"], :not([type])):enabled, select:enabled, textarea:enabled'

interface Props {
  readonly title: string
  readonly class?: string
  readonly children: preact.ComponentChildren
}

export const Dialog = ({ title, class: extra = "", children }: Props) => {
  const chat = useChat()
  const place = useRef<HTMLDialogElement>(null)
  const top = useTop()
  // Both the press and its end: whoever selects text may let go outside.
  const isPressed = useRef(false)
  const close = () => void leaveDialog(chat)
  useEffect(() => {
    // It was said of another dialog.
    if (chat.ui.value.notice === words.saved) chat.show({ notice: null })
    const dialog = place.current
    dialog?.showModal()
    // Not what closes it, which comes first. A keyboard that comes up from below would hide what has just been opened.
    const field = matchMedia("(pointer: fine)").matches ? dialog?.querySelector<HTMLElement>(firstField) : null
    ;(field ?? dialog)?.focus()
  }, [])
  /** A gesture to go back closes it, and a question above it, whatever the page says: with something unsaved it comes again. */
  const onClosed = () => {
    if (place.current?.isConnected !== true) return
    if (chat.unsaved.size === 0) close()
    else place.current.showModal()
  }
  return (
    <dialog
      ref={place}
      class={extra}
      tabIndex={-1}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        if (event.target !== place.current) return
        event.preventDefault()
        close()
      }}
      onClose={(event) => event.target === place.current && onClosed()}
      onKeyDown={(event) => onEscape(event, close)}
      onPointerDown={(event) => {
        isPressed.current = isBeside(place.current, event)
      }}
      onClick={(event) => isPressed.current && isBeside(place.current, event) && close()}
    >
      <div class="sheet">
        <header>
          <h2 id="dialog-title">
            <bdi>{title}</bdi>
          </h2>
          <IconButton icon="close" label={words.close} onClick={close} />
        </header>
        {children}
      </div>
      <Notice isTop={top === "dialog"} />
    </dialog>
  )
}
