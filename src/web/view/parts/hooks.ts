/** How views get at the chat, and are drawn again when what they look at has changed. */
import { createContext } from "preact"
import { type MutableRef, useContext, useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks"
import type { Chat } from "../../live/chat.ts"
import type { Store } from "../../live/store.ts"
import type { State } from "../../state/model.ts"

export const ChatContext = createContext<Chat | null>(null)

export const useChat = (): Chat => {
  const chat = useContext(ChatContext)
  if (chat === null) throw new Error("a view of the chat stands outside of it")
  return chat
}

/** `select` answers the same object while nothing that it looks at has changed. */
export const useStore = <Value, Seen>(store: Store<Value>, select: (value: Value) => Seen): Seen => {
  const [, draw] = useReducer((turn: number, _: null) => turn + 1, 0)
  const seen = select(store.value)
  const last = useRef({ seen, select })
  last.current = { seen, select }
  useLayoutEffect(() => {
    const look = () => {
      if (last.current.select(store.value) !== last.current.seen) draw(null)
    }
    look()
    return store.listen(look)
  }, [store])
  return seen
}

/** Of the state, which is there wherever this is used. */
export const useState = <Seen>(select: (state: State) => Seen): Seen => {
  const chat = useChat()
  return useStore(chat.state, (state) => {
    if (state === null) throw new Error("the state is not there yet")
    return select(state)
  })
}

/** Closes what is open above the page by Escape and by a click elsewhere. */
export const useDismiss = (onDismiss: () => void, isOpen = true) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return
      event.stopPropagation()
      onDismiss()
    }
    const onPress = (event: PointerEvent) => {
      if (event.target instanceof Node && place.current?.contains(event.target) === false) onDismiss()
    }
    addEventListener("keydown", onKey, true)
    addEventListener("pointerdown", onPress, true)
    return () => {
      removeEventListener("keydown", onKey, true)
      removeEventListener("pointerdown", onPress, true)
    }
  }, [isOpen])
  return place
}

/** What opens beside a message opens upwards where the list ends below it, and there is more room above. */
export const useRoom = (place: MutableRef<HTMLElement | null>): void =>
  useLayoutEffect(() => {
    const element = place.current
    const list = element?.closest(".messages")?.getBoundingClientRect()
    const opener = element?.parentElement?.getBoundingClientRect()
    if (element === null || list === undefined || opener === undefined) return
    const isCut = element.getBoundingClientRect().bottom > list.bottom
    if (isCut && opener.top - list.top > list.bottom - opener.bottom) element.classList.add("up")
  }, [])
