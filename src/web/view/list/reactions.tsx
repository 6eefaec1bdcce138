/** The reactions to a message, each with how many and who. */
import type { PagePost } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { glyphOf, pictureOf } from "../parts/emoji.ts"
import { useChat, useChatState } from "../parts/hooks.ts"

export const Reactions = ({ post }: { readonly post: PagePost }) => {
  const chat = useChat()
  const people = useChatState((state) => state.people)
  const self = useChatState((state) => state.self.id)
  const emoji = useChatState((state) => state.emoji)
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
