/** What can be done with a message: the first few beside it, the others in a menu. */
import { useState as useOwn } from "preact/hooks"
import type { Post } from "../../state/model.ts"
import { hashOf } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { glyphOf, oftenUsed } from "../parts/emoji.ts"
import { EmojiPicker } from "../parts/emoji-picker.tsx"
import { useChat, useDismiss, useRoom, useState } from "../parts/hooks.ts"
import { IconButton } from "../parts/icons.tsx"
import { quote } from "../write/writing.ts"

const Menu = ({ post, onClose }: { readonly post: Post; readonly onClose: () => void }) => {
  const chat = useChat()
  const self = useState((state) => state.self)
  const place = useDismiss(onClose)
  useRoom(place)
  const hasReceipts = useState((state) => state.hasReceipts)
  const mayChange = post.senderId === self.id || self.isAdmin
  const isStarred = post.flags.has("starred")
  const copy = () => {
    const hash = hashOf({ narrow: { kind: "conversation", conversation: post.conversation }, near: post.id })
    navigator.clipboard?.writeText(`${location.origin}/${hash}`).then(
      () => chat.say(words.copied),
      () => chat.say(hash),
    )
  }
  const items: ReadonlyArray<readonly [label: string, run: () => void, isShown?: boolean]> = [
    [words.quote, () => void chat.try(quote(chat, post))],
    [isStarred ? words.unstar : words.star, () => chat.flag(post.id, "starred", !isStarred)],
    [words.markUnread, () => chat.flag(post.id, "read", false), post.flags.has("read")],
    [words.copyLink, copy],
    [words.history, () => chat.show({ dialog: { kind: "history", message: post.id } }), post.isEdited || post.isMoved],
    [words.readBy, () => chat.show({ dialog: { kind: "readers", message: post.id } }), hasReceipts],
    [words.move, () => chat.show({ dialog: { kind: "move", post } }), post.conversation.kind === "topic"],
    [words.remove, () => chat.show({ dialog: { kind: "delete", post } }), mayChange],
  ]
  return (
    <div class="popup menu" role="menu" ref={place}>
      {items
        .filter(([, , isShown = true]) => isShown)
        .map(([label, run]) => (
          <button
            type="button"
            role="menuitem"
            key={label}
            onClick={() => {
              onClose()
              run()
            }}
          >
            {label}
          </button>
        ))}
    </div>
  )
}

export const MessageActions = ({ post, isReacting }: { readonly post: Post; readonly isReacting: boolean }) => {
  const chat = useChat()
  const [isOpen, setOpen] = useOwn(false)
  const isOwn = useState((state) => state.self.id === post.senderId)
  const showPicker = (isShown: boolean) => chat.show({ reactingTo: isShown ? post.id : null })
  const reply = () => {
    chat.show({ replyTo: post.conversation })
    document.querySelector<HTMLElement>("#write")?.focus()
  }
  return (
    <fieldset class={`message-actions ${isOpen || isReacting ? "open" : ""}`} aria-label={words.actions}>
      {oftenUsed.slice(0, 3).map(({ name, code }) => (
        <button
          type="button"
          class="icon-button quick"
          key={name}
          aria-label={`:${name}:`}
          onClick={() => chat.react(post.id, name, true)}
        >
          {glyphOf(code)}
        </button>
      ))}
      <IconButton icon="smile" label={words.react} onClick={() => showPicker(!isReacting)} />
      <IconButton icon="reply" label={words.reply} onClick={reply} />
      {isOwn && <IconButton icon="edit" label={words.edit} onClick={() => chat.show({ editing: post.id })} />}
      <IconButton icon="more" label={words.more} onClick={() => setOpen(!isOpen)} />
      {isOpen && <Menu post={post} onClose={() => setOpen(false)} />}
      {isReacting && (
        <EmojiPicker
          onClose={() => showPicker(false)}
          onPick={({ name }) => {
            showPicker(false)
            chat.react(post.id, name, true)
          }}
        />
      )}
    </fieldset>
  )
}
