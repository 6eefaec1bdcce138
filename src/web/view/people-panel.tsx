/** Who is here, on screens that have room for it: those who are active first. */
import { useEffect, useMemo, useReducer } from "preact/hooks"
import { words } from "../words/words.ts"
import { Avatar, beingOf, PresenceDot } from "./parts/avatar.tsx"
import { glyphOf } from "./parts/emoji.ts"
import { useChat, useState } from "./parts/hooks.ts"

const mostShown = 100
const againMilliseconds = 60_000
const order = { active: 0, idle: 1, offline: 2 }

export const PeoplePanel = () => {
  const chat = useChat()
  const people = useState((state) => state.people)
  const presence = useState((state) => state.presence)
  const self = useState((state) => state.self.id)
  const statuses = useState((state) => state.statuses)
  // Whoever says nothing for a while is idle by then, though no event tells.
  const [, draw] = useReducer((turn: number, _: null) => turn + 1, 0)
  useEffect(() => {
    const timer = setInterval(() => draw(null), againMilliseconds)
    return () => clearInterval(timer)
  }, [])
  // Presences come all the time, and names seldom change: to compare them is most of the work.
  const byName = useMemo(
    () =>
      [...people.values()]
        .filter(({ isActive, isBot }) => isActive && !isBot)
        .sort((a, b) => a.name.localeCompare(b.name)),
    [people],
  )
  const now = Date.now() / 1000
  const shown = byName
    .map((person) => ({ person, rank: person.id === self ? 0 : order[beingOf(presence.get(person.id), now)] }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, mostShown)
  return (
    <aside class="people-panel" aria-labelledby="people">
      <h2 id="people">{words.people}</h2>
      <ul>
        {shown.map(({ person: { id, name, avatarUrl }, rank }) => {
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
    </aside>
  )
}
