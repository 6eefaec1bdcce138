/** That a message is starred, edited or moved. It takes no line of its own, so nothing moves when it comes. */
import type { PagePost } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useChat } from "../parts/hooks.ts"
import { Icon } from "../parts/icons.tsx"
import { run, useActs } from "./message-acts.ts"

export const MessageBadges = ({ post, isShort = false }: { readonly post: PagePost; readonly isShort?: boolean }) => {
  const isStarred = post.flags.has("starred")
  const isChanged = post.isEdited || post.isMoved
  if (!isStarred && !isChanged) return null
  return (
    <span class="notes">
      {isStarred && (
        <span class="star" title={words.starred}>
          ★
        </span>
      )}
      {isChanged && <Changed post={post} isShort={isShort} />}
    </span>
  )
}

const Changed = ({ post, isShort }: { readonly post: PagePost; readonly isShort: boolean }) => {
  const chat = useChat()
  const hasHistory = useActs(post).includes("history")
  const label = post.isEdited ? words.edited : words.moved
  const shown = isShort ? <Icon name="edit" /> : label
  if (!hasHistory) return <span title={label}>{shown}</span>
  return (
    <button type="button" class="bare" title={label} aria-label={label} onClick={() => run(chat, "history", post)}>
      {shown}
    </button>
  )
}
