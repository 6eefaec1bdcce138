/** A poll: one votes for what one likes, as often as there are options, and adds others. */

import { firstOf } from "../../state/first-items.ts"
import type { PagePost } from "../../state/model.ts"
import { nextIndex, type Poll } from "../../state/poll.ts"
import { words } from "../../words/words.ts"
import { useChat, useChatState } from "../parts/hooks.ts"
import { AddForm, act } from "./widget-acts.tsx"

const mostOptions = 50
const mostNames = 10

interface Props {
  readonly post: PagePost
  readonly poll: Poll
  readonly id?: string
}

export const PollView = ({ post, poll, id }: Props) => {
  const chat = useChat()
  const self = useChatState((state) => state.self.id)
  const people = useChatState((state) => state.people)
  const nameOf = (id: number) => people.get(id)?.name ?? words.unknownPerson
  const [shown, hidden] = firstOf(poll.options, mostOptions)
  return (
    <fieldset class="poll" id={id} aria-label={poll.question === "" ? words.poll : poll.question}>
      <p class="question">
        <b dir="auto">{poll.question === "" ? words.poll : poll.question}</b>
      </p>
      <ul>
        {shown.map(({ key, text, voters }) => {
          const isOwn = voters.includes(self)
          const [named, others] = firstOf(voters, mostNames)
          const names = named.map(nameOf).join(", ")
          return (
            <li key={key}>
              <button
                type="button"
                class="vote"
                aria-pressed={isOwn}
                aria-label={words.votesFor(voters.length, text)}
                onClick={() => void act(chat, post, { type: "vote", key, vote: isOwn ? -1 : 1 })}
              >
                {voters.length}
              </button>
              <span dir="auto">{text}</span>
              {names !== "" && <span class="quiet">{others > 0 ? `${names} ${words.andMore(others)}` : names}</span>}
            </li>
          )
        })}
      </ul>
      {hidden > 0 && <p class="quiet">{words.andMore(hidden)}</p>}
      <AddForm
        label={words.newOption}
        onAdd={(option) => act(chat, post, { type: "new_option", idx: nextIndex(poll, self), option })}
      />
    </fieldset>
  )
}
