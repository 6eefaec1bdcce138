/** What keys do outside of fields. */
import type { Chat } from "../live/chat.ts"
import type { Narrow } from "../state/model.ts"
import { linkTo, narrowKey } from "../state/narrow.ts"
import { isMuted } from "../state/unread.ts"

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const focus = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus()

const go = (narrow: Narrow): void => {
  location.hash = linkTo(narrow)
}

const step = (chat: Chat, by: 1 | -1): void => {
  const posts = chat.state.value?.feed?.posts ?? []
  const { selected } = chat.ui.value
  const at = posts.findIndex(({ id }) => id === selected)
  const next = at < 0 ? posts.at(-1) : posts[Math.min(posts.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  chat.show({ selected: next.id })
  queueMicrotask(() => {
    const row = document.querySelector<HTMLElement>(`[data-id="${next.id}"]`)
    row?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: "nearest" })
  })
}

const nextUnread = (chat: Chat): void => {
  const state = chat.state.value
  if (state === null) return
  const here = narrowKey(chat.ui.value.place.narrow)
  const next = [...state.unread].find(([key, { conversation }]) => key !== here && !isMuted(state, conversation))
  if (next !== undefined) go({ kind: "conversation", conversation: next[1].conversation })
}

/** With a message that the keyboard is at; false where the key means nothing. */
const onSelected = (chat: Chat, key: string): boolean => {
  const { selected } = chat.ui.value
  const state = chat.state.value
  const post = state?.feed?.posts.find(({ id }) => id === selected)
  if (post === undefined) return false
  if (key === "r" || key === "Enter") {
    chat.show({ replyTo: post.conversation })
    // The views are drawn in a microtask, so what is typed next is typed there.
    queueMicrotask(() => focus("#write"))
  } else if (key === "e" && post.senderId === state?.self.id) chat.show({ editing: post.id })
  else if (key === "+") chat.show({ reactingTo: post.id })
  else if (key === "s") chat.flag(post.id, "starred", !post.flags.has("starred"))
  else return false
  return true
}

const anywhere: Readonly<Record<string, (chat: Chat) => void>> = {
  j: (chat) => step(chat, 1),
  ArrowDown: (chat) => step(chat, 1),
  k: (chat) => step(chat, -1),
  ArrowUp: (chat) => step(chat, -1),
  c: () => focus("#write"),
  r: () => focus("#write"),
  "/": () => focus("#search"),
  n: nextUnread,
  a: () => go({ kind: "all" }),
  "@": () => go({ kind: "mentions" }),
  g: () => document.querySelector<HTMLElement>(".to-newest")?.click(),
  "?": (chat) => chat.show({ dialog: { kind: "keys" } }),
}

/** Answers how to stop. */
export const listenToKeys = (chat: Chat): (() => void) => {
  const onKey = (event: KeyboardEvent): void => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || chat.ui.value.dialog !== null) return
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
  addEventListener("keydown", onKey)
  return () => removeEventListener("keydown", onKey)
}
