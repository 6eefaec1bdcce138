/** One message. */

import { useMemo, useState as useOwn } from "preact/hooks"
import type { Post } from "../../state/model.ts"
import { pollOf } from "../../state/poll.ts"
import { todoOf } from "../../state/todo.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { Content } from "../parts/content.tsx"
import { glyphOf, pictureOf } from "../parts/emoji.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { memo } from "../parts/memo.ts"
import { clock, fullTime } from "../parts/times.ts"
import { EditBox } from "../write/edit-box.tsx"
import { MessageActions } from "./message-actions.tsx"
import { PollView } from "./poll.tsx"
import { TodoView } from "./todo.tsx"

const Reactions = ({ post }: { readonly post: Post }) => {
  const chat = useChat()
  const people = useState((state) => state.people)
  const self = useState((state) => state.self.id)
  const emoji = useState((state) => state.emoji)
  if (post.reactions.length === 0) return null
  return (
    <div class="reactions">
      {post.reactions.map(({ name, code, type, users }) => {
        const isOwn = users.includes(self)
        const label = words.reactedBy(
          users.map((user) => people.get(user)?.name ?? words.unknownPerson).join(", "),
          name,
        )
        const url = type === "unicode_emoji" ? null : pictureOf(emoji, type, code)
        const shown = type === "unicode_emoji" ? glyphOf(code) : `:${name}:`
        // Whoever speaks to their machine says what they see: it begins the name.
        return (
          <button
            type="button"
            key={`${type} ${code}`}
            class="reaction"
            aria-pressed={isOwn}
            aria-label={`${shown} ${users.length} ${label}`}
            title={label}
            onClick={() => chat.react(post.id, name, !isOwn)}
          >
            {url === null ? <span aria-hidden="true">{shown}</span> : <img class="emoji" src={url} alt={shown} />}
            <span aria-hidden="true">{users.length}</span>
          </button>
        )
      })}
    </div>
  )
}

interface Props {
  readonly post: Post
  readonly isFollowing: boolean
  readonly isSelected: boolean
  readonly isEditing: boolean
  readonly isReacting: boolean
  readonly is24: boolean
}

export const Message = memo(({ post, isFollowing, isSelected, isEditing, isReacting, is24 }: Props) => {
  const chat = useChat()
  // The actions are most of what a message is made of, so only that which one points at has them.
  const [isNear, setNear] = useOwn(false)
  const [isUnfolded, setUnfolded] = useOwn(false)
  const isFolded = useState((state) => state.mutedPeople.has(post.senderId)) && !isUnfolded
  const name = useState((state) => state.people.get(post.senderId)?.name ?? post.senderName)
  const avatarUrl = useState((state) => state.people.get(post.senderId)?.avatarUrl ?? post.avatarUrl)
  const time = (
    <time dateTime={new Date(post.time * 1000).toISOString()} title={fullTime(post.time)}>
      {clock(post.time, is24)}
    </time>
  )
  const poll = useMemo(() => pollOf(post), [post.acts])
  const todo = useMemo(() => todoOf(post), [post.acts])
  const openProfile = () => chat.show({ dialog: { kind: "profile", user: post.senderId } })
  const marks = [
    isFollowing && "following",
    isSelected && "selected",
    post.flags.has("mentioned") && "mentioned",
    !post.flags.has("read") && "is-unread",
    post.isMe && "is-me",
  ]
  return (
    <article
      class={`message ${marks.filter((mark) => mark !== false).join(" ")}`}
      data-id={post.id}
      onPointerEnter={() => setNear(true)}
      onPointerLeave={() => setNear(false)}
      onFocusCapture={() => setNear(true)}
      tabIndex={isSelected ? 0 : -1}
      aria-label={`${name}, ${clock(post.time, is24)}`}
    >
      <div class="gutter">
        {isFollowing ? (
          time
        ) : (
          <button type="button" class="bare" tabIndex={-1} aria-label={name} onClick={openProfile}>
            <Avatar url={avatarUrl} name={name} id={post.senderId} />
          </button>
        )}
      </div>
      <div class="body">
        {!isFollowing && (
          <header>
            <button type="button" class="bare sender" onClick={openProfile}>
              {name}
            </button>
            {time}
          </header>
        )}
        {isFolded ? (
          <button type="button" class="bare quiet" onClick={() => setUnfolded(true)}>
            {words.ofMuted}
          </button>
        ) : isEditing ? (
          <EditBox post={post} />
        ) : poll !== null ? (
          <PollView post={post} poll={poll} />
        ) : todo !== null ? (
          <TodoView post={post} todo={todo} />
        ) : (
          <Content html={post.html} />
        )}
        {(post.isEdited || post.isMoved || post.flags.has("starred")) && (
          <p class="notes">
            {post.flags.has("starred") && <span class="star">★</span>}
            {(post.isEdited || post.isMoved) && (
              <button
                type="button"
                class="bare"
                onClick={() => chat.show({ dialog: { kind: "history", message: post.id } })}
              >
                {post.isEdited ? words.edited : words.moved}
              </button>
            )}
          </p>
        )}
        <Reactions post={post} />
      </div>
      {(isNear || isSelected || isReacting) && <MessageActions post={post} isReacting={isReacting} />}
    </article>
  )
})
