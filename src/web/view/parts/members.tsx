/** People who are in something, and who else could be: of a channel or of a group. */
import { useMemo, useState as useOwn } from "preact/hooks"
import type { Person } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "./avatar.tsx"
import { useState } from "./hooks.ts"

interface Props {
  readonly members: ReadonlyArray<number>
  readonly mayAdd: (user: number) => boolean
  readonly mayRemove: (user: number) => boolean
  readonly onAdd: (user: number) => void
  readonly onRemove: (user: number) => void
}

const byName = (a: Person, b: Person): number => a.name.localeCompare(b.name)

const mostShown = 100
const mostOffered = 8

export const Members = ({ members, mayAdd, mayRemove, onAdd, onRemove }: Props) => {
  const people = useState((state) => state.people)
  const [text, setText] = useOwn("")
  const wanted = text.trim().toLowerCase()
  // Anything that happens draws this again, and to put many names in order is most of the work.
  const known = useMemo(() => members.flatMap((id) => people.get(id) ?? []).sort(byName), [members, people])
  const isMeant = ({ name, email }: Person) => `${name} ${email}`.toLowerCase().includes(wanted)
  const shown = known.filter(isMeant).slice(0, mostShown)
  const there = new Set(members)
  const others =
    wanted === ""
      ? []
      : [...people.values()]
          .filter((person) => person.isActive && !there.has(person.id) && isMeant(person) && mayAdd(person.id))
          .sort(byName)
          .slice(0, mostOffered)
  const row = ({ id, name, email, avatarUrl }: Person, label: string, isShown: boolean, act: (id: number) => void) => (
    <li key={id}>
      <Avatar url={avatarUrl} name={name} id={id} size="small" />
      <span class="grow">
        <bdi>{name}</bdi>{" "}
        <span class="quiet" id={`address-${id}`}>
          {email}
        </span>
      </span>
      {isShown && (
        <button
          type="button"
          aria-label={`${label}: ${name}`}
          aria-describedby={`address-${id}`}
          onClick={() => act(id)}
        >
          {label}
        </button>
      )}
    </li>
  )
  return (
    <>
      <input
        type="search"
        placeholder={words.findPeople}
        aria-label={words.findPeople}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {others.length > 0 && <ul class="rows offered">{others.map((each) => row(each, words.add, true, onAdd))}</ul>}
      <p class="quiet">{words.chosenOf(members.length)}</p>
      <ul class="rows people">{shown.map((each) => row(each, words.takeOut, mayRemove(each.id), onRemove))}</ul>
    </>
  )
}
