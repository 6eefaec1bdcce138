/** What both boxes for writing need: files, quotes, and text at the caret. */
import type { ChatSession } from "../../live/chat.ts"
import { type Conversation, conversationKey, type PagePost } from "../../state/model.ts"
import { hashOf } from "../../state/narrow.ts"
import { following } from "../../state/resend-rules.ts"
import { words } from "../../words/words.ts"

/** Puts text in place of what is selected, or where the caret is. The views hear of it as if it was typed. */
export const insertText = (field: HTMLTextAreaElement, text: string): void => {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end")
  field.dispatchEvent(new InputEvent("input", { bubbles: true }))
}

const writeField = (): HTMLTextAreaElement | null => document.querySelector<HTMLTextAreaElement>("#write")

const longestFence = (text: string): number =>
  Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length))

export const quote = async (chat: ChatSession, post: PagePost): Promise<void> => {
  const { message } = await chat.client.call("GET /messages/{message_id}", {
    message_id: post.id,
    apply_markdown: false,
  })
  chat.show({ replyTo: post.conversation })
  const hash = hashOf({ narrow: { kind: "conversation", conversation: post.conversation }, near: post.id })
  const fence = "`".repeat(longestFence(message.content) + 1)
  // The box has the draft of the conversation that is answered only once it is drawn again.
  queueMicrotask(() => {
    const field = writeField()
    if (field === null) return
    field.focus()
    const text = `@_**${post.senderName}|${post.senderId}** [↑](${location.origin}/${hash}):\n${fence}quote\n${message.content}\n${fence}\n`
    insertText(field, text)
  })
}

/** Puts the link to a file where the caret is in the box that is open, or after what was written where it belongs. */
export const putLink =
  (chat: ChatSession) =>
  (conversation: Conversation, text: string): void => {
    const field = writeField()
    if (field === null || field.dataset["conversation"] !== conversationKey(conversation)) {
      chat.drafts?.add(conversation, text)
      return
    }
    // It comes unasked: what is selected stays.
    const { selectionStart, selectionEnd: end, value } = field
    const link = following(value.slice(0, end), text)
    field.setRangeText(link, end, end, selectionStart === end ? "end" : "preserve")
    field.dispatchEvent(new InputEvent("input", { bubbles: true }))
  }

export const attach = (chat: ChatSession, conversation: Conversation, files: Iterable<File>): void => {
  const most = chat.state.value?.limits.uploadMegabytes ?? 25
  for (const file of files) {
    if (file.size > most * 1024 * 1024) chat.say(words.tooLarge(most))
    else chat.uploads.add(conversation, file, putLink(chat))
  }
}

/** Whether the key sends or saves, as one has set it. */
export const isSend = ({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, entersSends: boolean): boolean =>
  key === "Enter" && !shiftKey && (entersSends || ctrlKey || metaKey)

/** Files of a paste; what else is in it is the browser's business. */
export const filesOf = (data: DataTransfer | null): ReadonlyArray<File> => [...(data?.files ?? [])]
