/** Chooses people: to write to, or for a group of them. */
import { useMemo, useState } from "preact/hooks"
import { directWith } from "../../state/model.ts"
import { linkTo } from "../../state/narrow.ts"
import { byName, isKnown, personText } from "../../state/people.ts"
import { words } from "../../words/words.ts"
import { Avatar, PresenceDot } from "../parts/avatar.tsx"
import { ListFilter, useFilteredList } from "../parts/filtered-list.tsx"
import { useChat, useChatState } from "../parts/hooks.ts"
import { Dialog } from "./dialog.tsx"

interface Props {
  readonly chosen: ReadonlySet<number>
  readonly onChange: (chosen: ReadonlySet<number>) => void
}

const mostShown = 50

interface FieldProps extends Props {
  /** Enter was pressed: after the only one whom the words mean was chosen, or where nothing is sought. */
  readonly onEnter?: (chosen: ReadonlySet<number>) => void
}

export const PeopleField = ({ chosen, onChange, onEnter }: FieldProps) => {
  const people = useChatState((state) => state.people)
  const ordered = useMemo(
    () =>
      [...people.values()]
        .filter((person) => person.isActive && isKnown(person))
        .sort((a, b) => Number(a.isBot) - Number(b.isBot) || byName(a, b)),
    [people],
  )
  const { found, wanted, text, setText, rest } = useFilteredList(ordered, personText, mostShown)
  const toggle = (id: number) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChange(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.isComposing) return
    event.preventDefault()
    const [only, another] = found
    if (wanted === "") return onEnter?.(chosen)
    if (only === undefined || another !== undefined) return
    const next = new Set(chosen).add(only.id)
    setText("")
    onChange(next)
    onEnter?.(next)
  }
  return (
    <>
      <ListFilter text={text} onChange={setText} onKeyDown={onKeyDown} />
      <ul class="rows people">
        {found.map(({ id, name, email, avatarUrl }) => (
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
      {rest}
    </>
  )
}

interface FormProps extends FieldProps {
  /** What is done with whom was chosen. */
  readonly label: string
  readonly onSubmit: (event: Event) => void
}

export const PeopleForm = ({ chosen, onChange, onEnter, label, onSubmit }: FormProps) => (
  <form class="fields" onSubmit={onSubmit}>
    <PeopleField chosen={chosen} onChange={onChange} {...(onEnter && { onEnter })} />
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
  const self = useChatState((state) => state.self.id)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const start = (users: ReadonlySet<number>) => {
    if (users.size === 0) return
    location.hash = linkTo({ kind: "conversation", conversation: directWith(self, [...users]) })
    chat.show({ dialog: null })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    start(chosen)
  }
  return (
    <Dialog title={words.newDirect}>
      <PeopleForm chosen={chosen} onChange={setChosen} onEnter={start} label={words.start} onSubmit={submit} />
    </Dialog>
  )
}
