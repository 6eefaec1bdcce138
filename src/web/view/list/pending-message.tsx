/** A message that is on its way, in the shape that it will have: its text as it was written, until the server has rendered it. */
import type { PendingSend } from "../../live/pending-sends.ts"
import { isAct } from "../../state/message-rows.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useChat, useChatState } from "../parts/hooks.ts"
import { Icon } from "../parts/icons.tsx"

interface Props {
  readonly pending: PendingSend
  readonly isFollowing: boolean
}

const paragraphs = (text: string) => text.trim().split(/\n{2,}/)

export const PendingMessage = ({ pending, isFollowing }: Props) => {
  const chat = useChat()
  const self = useChatState((state) => state.people.get(state.self.id))
  const { localId, content, fault, id } = pending
  const isMe = isAct(content)
  const state = fault !== null ? words.notSent : id === null ? words.waiting : undefined
  const text = (
    <div class="content plain" dir={isMe ? undefined : "auto"}>
      {paragraphs(isMe ? content.slice("/me ".length) : content).map((each, at) => (
        <p key={at}>{each}</p>
      ))}
    </div>
  )
  return (
    <article
      class={`message pending ${fault === null ? "" : "refused"} ${isFollowing ? "following" : ""} ${isMe ? "is-me" : ""}`}
      aria-label={state}
    >
      <div class="gutter">
        {isFollowing ? (
          <span class="notes" title={state}>
            {state !== undefined && <Icon name="clock" />}
          </span>
        ) : (
          <Avatar url={self?.avatarUrl ?? null} name={self?.name ?? "?"} id={self?.id ?? 0} />
        )}
      </div>
      <div class="body">
        {!isFollowing && (
          <header dir={isMe ? "auto" : undefined}>
            <span class="sender" dir="auto">
              {self?.name}
            </span>{" "}
            {isMe && text}
            <span class="quiet">{state}</span>
          </header>
        )}
        {!isMe && text}
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
