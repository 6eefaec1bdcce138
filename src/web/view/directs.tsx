/** Conversations with single people and small groups. */
import { useState } from "preact/hooks"
import { listDirects } from "../state/direct-conversations.ts"
import { firstOf } from "../state/first-items.ts"
import type { Conversation } from "../state/model.ts"
import { words } from "../words/words.ts"
import { Avatar, PresenceDot } from "./parts/avatar.tsx"
import { useChat, useChatState, useFields } from "./parts/hooks.ts"
import { IconButton } from "./parts/icons.tsx"
import { memo } from "./parts/memoized-view.ts"
import { directName } from "./parts/place-names.tsx"
import { Count, PlaceLink } from "./place-link.tsx"

/** Further ones are drawn where they are asked for: whoever was away for long may have hundreds. */
const mostShown = 40

interface Props {
  readonly users: ReadonlyArray<number>
  readonly unread: number
  readonly isHere: boolean
}

const DirectLink = memo(({ users, unread, isHere }: Props) => {
  const [first = 0] = users
  const person = useChatState((state) => state.people.get(first))
  const name = useChatState((state) => directName(state, users))
  const conversation: Conversation = { kind: "direct", users }
  return (
    <PlaceLink narrow={{ kind: "conversation", conversation }} isHere={isHere}>
      <span class="face">
        <Avatar url={person?.avatarUrl ?? null} name={person?.name ?? "?"} id={first} size="small" />
        {users.length === 1 && <PresenceDot user={first} />}
      </span>
      <span class="name" dir="auto">
        {name}
      </span>
      <Count n={unread} />
    </PlaceLink>
  )
})

export const Directs = ({ here }: { readonly here: string }) => {
  const chat = useChat()
  const state = useFields("directs", "unread")
  const [isWhole, setWhole] = useState(false)
  const all = listDirects(state)
  const [shown, hidden] = firstOf(all, isWhole ? all.length : mostShown)
  return (
    <section aria-labelledby="directs">
      <header>
        <h2 id="directs">{words.directs}</h2>
        <IconButton icon="plus" label={words.newDirect} onClick={() => chat.show({ dialog: { kind: "new-direct" } })} />
      </header>
      <ul>
        {shown.map(({ key, users, unread }) => (
          <li key={key}>
            <DirectLink users={users} unread={unread} isHere={key === here} />
          </li>
        ))}
        {hidden > 0 && (
          <li>
            <button type="button" class="place bare quiet" onClick={() => setWhole(true)}>
              {words.andMore(hidden)}
            </button>
          </li>
        )}
      </ul>
    </section>
  )
}
