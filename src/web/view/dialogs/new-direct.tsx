/** Chooses people: to write to, or for a group of them. */
import { useState as useOwn } from "preact/hooks"
import { directWith } from "../../state/model.ts"
import { linkTo } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { Avatar, PresenceDot } from "../parts/avatar.tsx"
import { useChat, useState } from "../parts/hooks.ts"
import { Dialog } from "./dialog.tsx"

interface Props {
  readonly chosen: ReadonlySet<number>
  readonly onChange: (chosen: ReadonlySet<number>) => void
}

const mostShown = 50

export const PeopleField = ({ chosen, onChange }: Props) => {
  const [text, setText] = useOwn("")
  const people = useState((state) => state.people)
  const wanted = text.trim().toLowerCase()
  const shown = [...people.values()]
    .filter(({ name, email, isActive }) => isActive && `${name} ${email}`.toLowerCase().includes(wanted))
    .sort((a, b) => Number(a.isBot) - Number(b.isBot) || a.name.localeCompare(b.name))
    .slice(0, mostShown)
  const toggle = (id: number) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChange(next)
  }
  return (
    <>
      <input
        type="search"
        placeholder={words.filter}
        aria-label={words.filter}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <ul class="rows people">
        {shown.map(({ id, name, email, avatarUrl }) => (
          <li key={id}>
            <label class="check">
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
              <span class="face">
                <Avatar url={avatarUrl} name={name} id={id} size="small" />
                <PresenceDot user={id} />
              </span>
              <span class="name" dir="auto">
                {name}
              </span>
              <span class="quiet">{email}</span>
            </label>
          </li>
        ))}
      </ul>
    </>
  )
}

interface FormProps extends Props {
  /** What is done with whom was chosen. */
  readonly label: string
  readonly onSubmit: (event: Event) => void
}

export const PeopleForm = ({ chosen, onChange, label, onSubmit }: FormProps) => (
  <form class="fields" onSubmit={onSubmit}>
    <PeopleField chosen={chosen} onChange={onChange} />
    <p class="row">
      <span class="quiet grow">{words.chosen(chosen.size)}</span>
      <button type="submit" class="primary" disabled={chosen.size === 0}>
        {label}
      </button>
    </p>
  </form>
)

export const NewDirect = () => {
  const chat = useChat()
  const self = useState((state) => state.self.id)
  const [chosen, setChosen] = useOwn<ReadonlySet<number>>(new Set())
  const start = (event: Event) => {
    event.preventDefault()
    location.hash = linkTo({ kind: "conversation", conversation: directWith(self, [...chosen]) })
    chat.show({ dialog: null })
  }
  return (
    <Dialog title={words.newDirect}>
      <PeopleForm chosen={chosen} onChange={setChosen} label={words.start} onSubmit={start} />
    </Dialog>
  )
}
