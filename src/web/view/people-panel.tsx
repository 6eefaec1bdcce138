/** Who is here, on screens that have room for it: those who are active first. */
import { useEffect, useMemo, useReducer } from "preact/hooks"
import { byName, isKnown, personText } from "../state/people.ts"
import { words } from "../words/words.ts"
import { Avatar, availabilityOf, PresenceDot } from "./parts/avatar.tsx"
import { glyphOf } from "./parts/emoji.ts"
import { useFilteredList } from "./parts/filtered-list.tsx"
import { useChat, useChatState } from "./parts/hooks.ts"

/** As few as this are seen whole. */
const fewestToFilter = 30
const againMilliseconds = 60_000
const order = { active: 0, idle: 1, offline: 2 }

export const PeoplePanel = () => {
  const chat = useChat()
  const people = useChatState((state) => state.people)
  const presence = useChatState((state) => state.presence)
  const self = useChatState((state) => state.self.id)
  const statuses = useChatState((state) => state.statuses)
  // Whoever says nothing for a while is idle by then, though no event tells.
  const [, draw] = useReducer((turn: number, _: null) => turn + 1, 0)
  useEffect(() => {
    const timer = setInterval(() => draw(null), againMilliseconds)
    return () => clearInterval(timer)
  }, [])
  // Presences come all the time, and names seldom change: to compare them is most of the work.
  const ordered = useMemo(
    () => [...people.values()].filter((person) => person.isActive && !person.isBot && isKnown(person)).sort(byName),
    [people],
  )
  const now = Date.now() / 1000
  const ranked = ordered
    .map((person) => ({ person, rank: person.id === self ? 0 : order[availabilityOf(presence.get(person.id), now)] }))
    .sort((a, b) => a.rank - b.rank)
  const { found, filter, rest } = useFilteredList(ranked, ({ person }) => personText(person))
  return (
    <aside class="people-panel" aria-labelledby="people">
      <h2 id="people">{words.people}</h2>
      {ordered.length >= fewestToFilter && filter}
      <ul>
        {found.map(({ person: { id, name, avatarUrl }, rank }) => {
          const status = statuses.get(id)
          return (
            <li key={id}>
              <button
                type="button"
                class={`place ${rank === order.offline ? "muted" : ""}`}
                onClick={() => chat.show({ dialog: { kind: "profile", user: id } })}
              >
                <span class="face">
                  <Avatar url={avatarUrl} name={name} id={id} size="small" />
                  <PresenceDot user={id} />
                </span>
                <span class="name" dir="auto">
                  {name}
                  {status !== undefined && status.text !== "" && <span class="quiet"> {status.text}</span>}
                </span>
                {status !== undefined && status.emojiCode !== "" && (
                  <span aria-hidden="true">{glyphOf(status.emojiCode)}</span>
                )}
              </button>
            </li>
          )
        })}
      </ul>
      {rest}
    </aside>
  )
}
