/** What keys do outside of fields. */
import type { ChatSession } from "../live/chat.ts"
import type { PageNarrow } from "../state/model.ts"
import { linkTo, narrowKey } from "../state/narrow.ts"
import { mayEdit } from "../state/rights.ts"
import { nextUnread } from "../state/unread.ts"
import { words } from "../words/words.ts"

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const focus = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus()

/** The box there does not take the focus: the next key may go on. */
const go = (chat: ChatSession, narrow: PageNarrow): void => {
  chat.show({ isByKeys: true })
  location.hash = linkTo(narrow)
}

/** The last message that is whole on the screen; NaN where there is none. */
const lastShown = (): number => {
  const list = document.querySelector<HTMLElement>("#messages")
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-id]") ?? [])]
  const end = (list?.scrollTop ?? 0) + (list?.clientHeight ?? 0)
  return Number(rows.findLast((row) => row.offsetTop + row.offsetHeight <= end)?.dataset["id"] ?? "none")
}

const step = (chat: ChatSession, by: 1 | -1): void => {
  const posts = chat.state.value?.feed?.posts ?? []
  const { selected } = chat.ui.value
  const at = posts.findIndex(({ id }) => id === selected)
  const next =
    at < 0
      ? (posts.find(({ id }) => id === lastShown()) ?? posts.at(-1))
      : posts[Math.min(posts.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  chat.show({ selected: next.id })
  queueMicrotask(() => {
    const row = document.querySelector<HTMLElement>(`[data-id="${next.id}"]`)
    row?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: "nearest" })
  })
}

const goToUnread = (chat: ChatSession): void => {
  const state = chat.state.value
  if (state === null) return
  const next = nextUnread(state, narrowKey(chat.ui.value.place.narrow))
  if (next === undefined) chat.say(words.allRead)
  else go(chat, { kind: "conversation", conversation: next })
}

/** The list scrolls by these keys wherever one is. */
const scrollBy = (pages: number): void => {
  const list = document.querySelector<HTMLElement>("#messages")
  list?.scrollBy({ top: pages * list.clientHeight * 0.9 })
}

const write = (): void => document.querySelector<HTMLElement>("#write, #new-message")?.focus()

/** With a message that the keyboard is at; false where the key means nothing. */
const onSelected = (chat: ChatSession, key: string): boolean => {
  const { selected } = chat.ui.value
  const state = chat.state.value
  const post = state?.feed?.posts.find(({ id }) => id === selected)
  if (post === undefined) return false
  if (key === "r" || key === "Enter") {
    chat.show({ replyTo: post.conversation })
    // The views are drawn in a microtask, so what is typed next is typed there.
    queueMicrotask(() => focus("#write"))
  } else if (key === "e" && state !== undefined && state !== null && mayEdit(state, post, Date.now() / 1000))
    chat.edit(post.id)
  else if (key === "+") chat.show({ reactingTo: post.id })
  else if (key === "s") chat.flag(post.id, "starred", !post.flags.has("starred"))
  else return false
  return true
}

const anywhere: Readonly<Record<string, (chat: ChatSession) => void>> = {
  j: (chat) => step(chat, 1),
  ArrowDown: (chat) => step(chat, 1),
  k: (chat) => step(chat, -1),
  ArrowUp: (chat) => step(chat, -1),
  c: write,
  r: write,
  "/": () => focus("#search"),
  n: goToUnread,
  a: (chat) => go(chat, { kind: "all" }),
  "@": (chat) => go(chat, { kind: "mentions" }),
  PageUp: () => scrollBy(-1),
  PageDown: () => scrollBy(1),
  Home: () => scrollBy(-1000),
  End: (chat) => {
    scrollBy(1000)
    anywhere["g"]?.(chat)
  },
  g: () => document.querySelector<HTMLElement>(".to-newest")?.click(),
  "?": (chat) => chat.show({ dialog: { kind: "keys" } }),
}

/** Answers how to stop. */
export const listenToKeys = (chat: ChatSession): (() => void) => {
  const onKey = (event: KeyboardEvent): void => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    // Keys of an input method are its own.
    if (event.isComposing || ctrlKey || metaKey || altKey || chat.ui.value.dialog !== null) return
    if (chat.ui.value.isMenuOpen) {
      if (key === "Escape") chat.show({ isMenuOpen: false })
      return
    }
    if (isField(target)) {
      if (key === "Escape" && target instanceof HTMLElement) target.blur()
      return
    }
    const isOnControl = target instanceof Element && target.closest("button, a") !== null
    if (isOnControl && (key === "Enter" || key === " ")) return
    const act = anywhere[key]
    if (!onSelected(chat, key)) {
      if (act === undefined) return
      act(chat)
    }
    event.preventDefault()
  }
  const onPress = (): void => {
    if (chat.ui.value.isByKeys) chat.show({ isByKeys: false })
  }
  addEventListener("keydown", onKey)
  addEventListener("pointerdown", onPress)
  return () => {
    removeEventListener("keydown", onKey)
    removeEventListener("pointerdown", onPress)
  }
}
