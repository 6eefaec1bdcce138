/** The people of an organization, as administrators see them. */
import { useMemo, useState } from "preact/hooks"
import type { PagePerson, PageState } from "../../state/model.ts"
import { byName, isKnown, personText } from "../../state/people.ts"
import { type PersonRole, roles, rolesToGive, whyFixed } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useFilteredList } from "../parts/filtered-list.tsx"
import { useChat, useFields } from "../parts/hooks.ts"

const roleName = (role: number): string => words.roles[roles.find((each) => each === role) ?? 400]

/** Arrow keys would change a closed select at once: they open it, as they do on some systems anyway. */
const openByArrows = (event: KeyboardEvent & { readonly currentTarget: HTMLSelectElement }): void => {
  if (event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return
  event.preventDefault()
  event.currentTarget.showPicker()
}

const Changes = ({
  person: { id, name, role, isActive },
  given,
}: {
  person: PagePerson
  given: ReadonlyArray<PersonRole>
}) => {
  const chat = useChat()
  const about = ({ people }: PageState) => {
    const now = people.get(id)
    return `${now?.name} ${now?.role} ${now?.isActive}`
  }
  const setRole = async (select: HTMLSelectElement) => {
    const wanted = given.find((each) => String(each) === select.value)
    // It shows what is, until that has changed.
    select.value = String(role)
    if (wanted === undefined || wanted === role) return
    const [title, text] = [words.roleTitle(name, words.roles[wanted]), words.roleHints[wanted]]
    const isDanger = wanted < role && wanted <= 200
    if (await chat.ask({ title, text, action: words.changeRole, isDanger }, about))
      await chat.try(chat.client.call("PATCH /users/{user_id}", { user_id: id, role: wanted }))
  }
  const deactivate = async () => {
    const { deactivateText: text, deactivate: action } = words
    if (await chat.ask({ title: words.deactivateTitle(name), text, action, isDanger: true }, about))
      await chat.try(chat.client.call("DELETE /users/{user_id}", { user_id: id }))
  }
  const reactivate = async () => {
    const { reactivateText: text, reactivate: action } = words
    if (await chat.ask({ title: words.reactivateTitle(name), text, action }, about))
      await chat.try(chat.client.call("POST /users/{user_id}/reactivate", { user_id: id }))
  }
  return (
    <>
      {isActive && (
        <select
          aria-label={`${words.role}: ${name}`}
          value={role}
          onKeyDown={openByArrows}
          onChange={(event) => void setRole(event.currentTarget)}
        >
          {given.map((each) => (
            <option key={each} value={each}>
              {words.roles[each]}
            </option>
          ))}
        </select>
      )}
      <button
        type="button"
        aria-label={`${isActive ? words.deactivate : words.reactivate}: ${name}`}
        onClick={() => void (isActive ? deactivate() : reactivate())}
      >
        {isActive ? words.deactivate : words.reactivate}
      </button>
    </>
  )
}

const PersonRow = ({ person }: { readonly person: PagePerson }) => {
  const state = useFields("people", "self")
  const why = whyFixed(state, person)
  const hint = why === "onlyOwner" || why === "onlyOwners" ? words[why] : ""
  return (
    <li class={person.isActive ? "" : "muted"}>
      <Avatar url={person.avatarUrl} name={person.name} id={person.id} size="small" />
      <div class="grow">
        {person.name}
        <p class="quiet">
          {person.email}
          {!person.isActive && ` · ${words.deactivated}`}
          {hint !== "" && ` · ${hint}`}
        </p>
      </div>
      {why === null ? (
        <Changes person={person} given={rolesToGive(state.self)} />
      ) : (
        <span class="quiet">{person.isBot ? words.bot : roleName(person.role)}</span>
      )}
    </li>
  )
}

export const PeopleRows = () => {
  const { people } = useFields("people")
  // Whoever is deactivated or comes back meanwhile stays where they were.
  const [last] = useState(() => new Set([...people.values()].filter(({ isActive }) => !isActive).map(({ id }) => id)))
  const ordered = useMemo(
    () =>
      [...people.values()]
        .filter(isKnown)
        .sort((a, b) => Number(last.has(a.id)) - Number(last.has(b.id)) || byName(a, b)),
    [people],
  )
  const { found, filter, rest } = useFilteredList(ordered, personText)
  return (
    <>
      <h3>{words.people}</h3>
      {filter}
      <ul class="rows">
        {found.map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </ul>
      {rest}
    </>
  )
}
