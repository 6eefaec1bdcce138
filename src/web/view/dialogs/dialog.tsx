/** What stands above the page: the browser keeps the focus in it and closes it by Escape. */
import { useEffect, useRef } from "preact/hooks"
import { words } from "../../words/words.ts"
import { useChat } from "../parts/hooks.ts"
import { IconButton } from "../parts/icons.tsx"

interface Props {
  readonly title: string
  readonly class?: string
  readonly children: preact.ComponentChildren
}

export const Dialog = ({ title, class: extra = "", children }: Props) => {
  const chat = useChat()
  const place = useRef<HTMLDialogElement>(null)
  const close = () => chat.show({ dialog: null })
  useEffect(() => {
    place.current?.showModal()
  }, [])
  return (
    <dialog
      ref={place}
      class={extra}
      aria-labelledby="dialog-title"
      onClose={close}
      onPointerDown={(event) => event.target === place.current && close()}
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
    </dialog>
  )
}
