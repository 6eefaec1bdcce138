/** People who are in something, and who else could be: of a channel or of a group. */
import { useMemo } from "preact/hooks"
import type { PagePerson } from "../../state/model.ts"
import { byName, isKnown, personText } from "../../state/people.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "./avatar.tsx"
import { ListFilter, useFilteredList } from "./filtered-list.tsx"
import { useHandOn } from "./hand-on-focus.ts"
import { useChatState } from "./hooks.ts"

interface Props {
  readonly members: ReadonlyArray<number>
  readonly mayAdd: (user: number) => boolean
  readonly mayRemove: (user: number) => boolean
  readonly onAdd: (user: number) => void
  readonly onRemove: (user: number) => void
}

const mostOffered = 8

interface RowProps {
  readonly person: PagePerson
  readonly label: string
  readonly isFree?: boolean
  readonly act: (id: number) => void
}

const Row = ({ person: { id, name, email, avatarUrl }, label, isFree = true, act }: RowProps) => {
  const place = useHandOn<HTMLLIElement>()
  return (
    <li ref={place}>
      <Avatar url={avatarUrl} name={name} id={id} size="small" />
      <span class="grow">
        <bdi>{name}</bdi>{" "}
        <span class="quiet" id={`address-${id}`}>
          {email}
        </span>
      </span>
      {isFree && (
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
}

export const MemberList = ({ members, mayAdd, mayRemove, onAdd, onRemove }: Props) => {
  const people = useChatState((state) => state.people)
  // Anything that happens draws this again, and to put many names in order is most of the work.
  const known = useMemo(() => members.flatMap((id) => people.get(id) ?? []).sort(byName), [members, people])
  const { found, wanted, text, setText, rest } = useFilteredList(known, personText)
  const there = new Set(members)
  const others =
    wanted === ""
      ? []
      : [...people.values()]
          .filter(
            (person) =>
              person.isActive &&
              isKnown(person) &&
              !there.has(person.id) &&
              personText(person).toLowerCase().includes(wanted) &&
              mayAdd(person.id),
          )
          .sort(byName)
          .slice(0, mostOffered)
  return (
    <>
      <ListFilter text={text} onChange={setText} label={words.findPeople} />
      {others.length > 0 && (
        <ul class="rows offered">
          {others.map((each) => (
            <Row key={each.id} person={each} label={words.add} act={onAdd} />
          ))}
        </ul>
      )}
      <p class="quiet">{words.chosenOf(members.length)}</p>
      <ul class="rows people">
        {found.map((each) => (
          <Row key={each.id} person={each} label={words.takeOut} isFree={mayRemove(each.id)} act={onRemove} />
        ))}
      </ul>
      {rest}
    </>
  )
}
