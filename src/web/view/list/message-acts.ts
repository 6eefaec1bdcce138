/** What each act on a message is called, and does. Which are offered says state/rights.ts. */
import type { ChatSession } from "../../live/chat.ts"
import type { PagePost } from "../../state/model.ts"
import { hashOf } from "../../state/narrow.ts"
import { actsOn, type MessageAct } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useFields } from "../parts/hooks.ts"
import { quote } from "../write/text-editing.ts"

export const useActs = (post: PagePost): ReadonlyArray<MessageAct> =>
  actsOn(
    useFields("self", "groups", "permissions", "channels", "people", "messageRules", "hasReceipts"),
    post,
    Math.floor(Date.now() / 1000),
  )

export const nameOf = (act: MessageAct, post: PagePost): string =>
  act === "star" && post.flags.has("starred") ? words.unstar : words[act]

/** Pages that came without TLS have no clipboard: then the text is shown. */
const copy = (chat: ChatSession, text: string, said: string): void => {
  const show = () => chat.say(text)
  if (navigator.clipboard === undefined) show()
  else navigator.clipboard.writeText(text).then(() => chat.say(said), show)
}

const linkOf = ({ conversation, id }: PagePost): string =>
  `${location.origin}/${hashOf({ narrow: { kind: "conversation", conversation }, near: id })}`

const reply = (chat: ChatSession, post: PagePost): void => {
  chat.show({ replyTo: post.conversation })
  // The box may be another one once the views are drawn.
  queueMicrotask(() => document.querySelector<HTMLElement>("#write")?.focus())
}

const textOf = (html: string): string =>
  new DOMParser().parseFromString(html.replaceAll(/<br\s*\/?>\n?/g, "\n"), "text/html").body.textContent.trim()

const runs: Readonly<Record<MessageAct, (chat: ChatSession, post: PagePost) => void>> = {
  react: (chat, { id }) => chat.show({ reactingTo: id }),
  reply,
  quote: (chat, post) => void chat.try(quote(chat, post)),
  edit: (chat, { id }) => chat.edit(id),
  star: (chat, { id, flags }) => chat.flag(id, "starred", !flags.has("starred")),
  markUnread: (chat, { id }) => chat.flag(id, "read", false),
  copyLink: (chat, post) => copy(chat, linkOf(post), words.copied),
  copyText: (chat, { html }) => copy(chat, textOf(html), words.textCopied),
  history: (chat, { id }) => chat.show({ dialog: { kind: "history", message: id } }),
  readBy: (chat, { id }) => chat.show({ dialog: { kind: "readers", message: id } }),
  move: (chat, post) => chat.show({ dialog: { kind: "move", post } }),
  remove: (chat, post) => chat.show({ dialog: { kind: "delete", post } }),
}

export const run = (chat: ChatSession, act: MessageAct, post: PagePost): void => runs[act](chat, post)
