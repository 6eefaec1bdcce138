/** One message. */

import { useMemo, useState } from "preact/hooks"
import type { PagePost } from "../../state/model.ts"
import { pollOf } from "../../state/poll.ts"
import { todoOf } from "../../state/todo.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { Content } from "../parts/content.tsx"
import { EmojiPicker } from "../parts/emoji-picker.tsx"
import { useChat, useChatState } from "../parts/hooks.ts"
import { memo } from "../parts/memoized-view.ts"
import { clock, fullTime } from "../parts/times.ts"
import { EditBox } from "../write/edit-box.tsx"
import { FoldedContent } from "./folded-content.tsx"
import { MessageBar, MessageMenu } from "./message-actions.tsx"
import { MessageBadges } from "./message-badges.tsx"
import { useTouch } from "./message-touch.ts"
import { PollView } from "./poll.tsx"
import { Reactions } from "./reactions.tsx"
import { TodoView } from "./todo.tsx"

interface Props {
  readonly post: PagePost
  readonly isFollowing: boolean
  readonly isSelected: boolean
  readonly isEditing: boolean
  readonly isReacting: boolean
  readonly is24: boolean
}

interface BodyProps extends Pick<Props, "post" | "isEditing"> {
  readonly id: string
}

const Body = ({ post, isEditing, id }: BodyProps) => {
  const poll = useMemo(() => pollOf(post), [post.acts])
  const todo = useMemo(() => todoOf(post), [post.acts])
  if (isEditing) return <EditBox post={post} />
  if (poll !== null) return <PollView id={id} post={post} poll={poll} />
  if (todo !== null) return <TodoView id={id} post={post} todo={todo} />
  return (
    <FoldedContent>
      <Content id={id} html={post.html} />
    </FoldedContent>
  )
}

export const Message = memo(({ post, isFollowing, isSelected, isEditing, isReacting, is24 }: Props) => {
  const chat = useChat()
  // The actions are most of what a message is made of, so only that which one points at has them.
  const [isNear, setNear] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [isUnfolded, setUnfolded] = useState(false)
  const { isByTouch, handlers } = useTouch(() => setOpen(true))
  const isTouch = isByTouch()
  const id = `text-${post.id}`
  const isFolded = useChatState((state) => state.mutedPeople.has(post.senderId)) && !isUnfolded
  const name = useChatState((state) => state.people.get(post.senderId)?.name ?? post.senderName)
  const avatarUrl = useChatState((state) => state.people.get(post.senderId)?.avatarUrl ?? post.avatarUrl)
  const time = (
    <time dateTime={new Date(post.time * 1000).toISOString()} title={fullTime(post.time)}>
      {clock(post.time, is24)}
    </time>
  )
  const openProfile = () => chat.show({ dialog: { kind: "profile", user: post.senderId } })
  const isAct = post.isMe && !isFolded && !isEditing
  const marks = [
    isFollowing && "following",
    isSelected && "selected",
    post.flags.has("mentioned") && "mentioned",
    !post.flags.has("read") && "is-unread",
    isAct && "is-me",
  ]
  return (
    <article
      class={`message ${marks.filter((mark) => mark !== false).join(" ")}`}
      data-id={post.id}
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && setNear(true)}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && setNear(false)}
      onFocusCapture={() => !isByTouch() && setNear(true)}
      tabIndex={isSelected ? 0 : -1}
      aria-label={`${name}, ${clock(post.time, is24)}`}
      aria-describedby={isSelected ? id : undefined}
      {...handlers}
    >
      <div class="gutter">
        {isFollowing ? (
          <>
            {time}
            <MessageBadges post={post} isShort />
          </>
        ) : (
          <button type="button" class="bare" tabIndex={-1} aria-label={name} onClick={openProfile}>
            <Avatar url={avatarUrl} name={name} id={post.senderId} />
          </button>
        )}
      </div>
      <div class="body">
        {!isFollowing && (
          // What somebody does is one line with their name, and runs as it does.
          <header dir={isAct ? "auto" : undefined}>
            <button type="button" class="bare sender" dir="auto" onClick={openProfile}>
              {name}
            </button>{" "}
            {isAct && <Content id={id} isPart html={post.html.replace(/^<p>\/me /, "<p>")} />}
            {time}
            <MessageBadges post={post} />
          </header>
        )}
        {isFolded ? (
          <button type="button" class="bare quiet" onClick={() => setUnfolded(true)}>
            {words.ofMuted}
          </button>
        ) : (
          !isAct && <Body post={post} isEditing={isEditing} id={id} />
        )}
        <Reactions post={post} />
      </div>
      {!isEditing && (isReacting || isOpen ? !isTouch : isNear || isSelected) && (
        <MessageBar post={post} isOpen={isOpen} isReacting={isReacting} onOpen={setOpen} />
      )}
      {isOpen && <MessageMenu post={post} isTouch={isTouch} onClose={() => setOpen(false)} />}
      {isReacting && (
        <EmojiPicker
          isTouch={isTouch}
          onClose={() => chat.show({ reactingTo: null })}
          onPick={({ name }) => {
            chat.show({ reactingTo: null })
            chat.react(post.id, name, true)
          }}
        />
      )}
    </article>
  )
})
