/** A message that is on its way: its text as it was written, until the server has rendered it. */
import type { Pending } from "../../live/outbox.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useChat, useState } from "../parts/hooks.ts"

export const PendingMessage = ({ pending }: { readonly pending: Pending }) => {
  const chat = useChat()
  const self = useState((state) => state.people.get(state.self.id))
  const { localId, content, fault, id } = pending
  return (
    <article
      class={`message pending ${fault === null ? "" : "refused"}`}
      aria-label={id === null ? words.waiting : undefined}
    >
      <div class="gutter">
        <Avatar url={self?.avatarUrl ?? null} name={self?.name ?? "?"} id={self?.id ?? 0} />
      </div>
      <div class="body">
        <header>
          <span class="sender">{self?.name}</span>
          <span class="quiet">{fault !== null ? words.notSent : id === null && words.waiting}</span>
        </header>
        <div class="content plain" dir="auto">
          {content}
        </div>
        {fault !== null && (
          <p class="row" role="alert">
            <span class="fault">{fault}</span>
            <button type="button" onClick={() => chat.outbox?.again(localId)}>
              {words.tryAgain}
            </button>
            <button type="button" onClick={() => chat.outbox?.remove(localId)}>
              {words.discard}
            </button>
          </p>
        )}
      </div>
    </article>
  )
}
