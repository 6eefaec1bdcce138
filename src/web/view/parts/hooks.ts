/** How views get at the chat, and are drawn again when what they look at has changed. */
import { createContext } from "preact"
import { useContext, useLayoutEffect, useReducer, useRef } from "preact/hooks"
import type { ChatSession } from "../../live/chat.ts"
import type { Observable } from "../../live/observable.ts"
import type { PageState } from "../../state/model.ts"

export const ChatContext = createContext<ChatSession | null>(null)

export const useChat = (): ChatSession => {
  const chat = useContext(ChatContext)
  if (chat === null) throw new Error("a view of the chat stands outside of it")
  return chat
}

/** Drawn again when `select` answers something else; `isSame` tells, where it answers a new object each time. */
export const useStore = <Value, Seen>(
  store: Observable<Value>,
  select: (value: Value) => Seen,
  isSame: (one: Seen, other: Seen) => boolean = Object.is,
): Seen => {
  const [, draw] = useReducer((turn: number, _: null) => turn + 1, 0)
  const seen = select(store.value)
  const last = useRef({ seen, select })
  last.current = { seen, select }
  useLayoutEffect(() => {
    const look = () => {
      if (!isSame(last.current.select(store.value), last.current.seen)) draw(null)
    }
    look()
    return store.listen(look)
  }, [store])
  return seen
}

const there = (state: PageState | null): PageState => {
  if (state === null) throw new Error("the state is not there yet")
  return state
}

/** Of the state, which is there wherever this is used. */
export const useChatState = <Seen>(select: (state: PageState) => Seen): Seen =>
  useStore(useChat().state, (state) => select(there(state)))

/** These fields of the state: what changes in others, a mark of typing for example, draws nothing again. */
export const useFields = <Name extends keyof PageState>(...names: ReadonlyArray<Name>): Pick<PageState, Name> =>
  useStore<PageState | null, Pick<PageState, Name>>(useChat().state, there, (one, other) =>
    names.every((name) => one[name] === other[name]),
  )

/** Closes what is open above the page by Escape and by a click elsewhere. */
export const useDismiss = <Place extends HTMLElement = HTMLDivElement>(onDismiss: () => void, isOpen = true) => {
  const place = useRef<Place>(null)
  // From the moment that it is drawn: the next key may come at once.
  useLayoutEffect(() => {
    if (!isOpen) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return
      event.stopPropagation()
      onDismiss()
    }
    const onPress = (event: PointerEvent) => {
      const { target } = event
      // The button that has opened it closes it by itself.
      if (!(target instanceof Element) || target.closest("[aria-haspopup][aria-expanded=true]") !== null) return
      if (place.current?.contains(target) === false) onDismiss()
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
