/** For administrators: the organization, its people, and who is invited. */
import { useEffect, useState as useOwn } from "preact/hooks"
import type { Api } from "../../../client/index.ts"
import type { Person } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useChat, useState } from "../parts/hooks.ts"
import { Dialog } from "./dialog.tsx"

type Invitation = Api.Operations["GET /invites"]["reply"]["invites"][number]

const roles = [100, 200, 300, 400, 600] as const

const PersonRow = ({ person }: { readonly person: Person }) => {
  const chat = useChat()
  const self = useState((state) => state.self.id)
  const setRole = (value: string) => {
    const role = roles.find((each) => String(each) === value)
    if (role !== undefined) void chat.try(chat.client.call("PATCH /users/{user_id}", { user_id: person.id, role }))
  }
  const toggle = () =>
    void chat.try(
      person.isActive
        ? chat.client.call("DELETE /users/{user_id}", { user_id: person.id })
        : chat.client.call("POST /users/{user_id}/reactivate", { user_id: person.id }),
    )
  return (
    <li class={person.isActive ? "" : "muted"}>
      <Avatar url={person.avatarUrl} name={person.name} id={person.id} size="small" />
      <div class="grow">
        {person.name}
        <p class="quiet">{person.email}</p>
      </div>
      {person.isBot ? (
        <span class="quiet">{words.bot}</span>
      ) : (
        <>
          <select
            aria-label={`${words.role}: ${person.name}`}
            value={person.role}
            disabled={person.id === self}
            onChange={(event) => setRole(event.currentTarget.value)}
          >
            {roles.map((role) => (
              <option key={role} value={role}>
                {words.roles[role]}
              </option>
            ))}
          </select>
          <button type="button" disabled={person.id === self} onClick={toggle}>
            {person.isActive ? words.deactivate : words.reactivate}
          </button>
        </>
      )}
    </li>
  )
}

const Invitations = () => {
  const chat = useChat()
  const [open, setOpen] = useOwn<ReadonlyArray<Invitation>>([])
  const [emails, setEmails] = useOwn("")
  const read = () => chat.try(chat.client.call("GET /invites").then(({ invites }) => setOpen(invites)))
  useEffect(() => void read(), [])
  const invite = async (event: Event) => {
    event.preventDefault()
    const params = {
      invitee_emails: emails,
      stream_ids: [],
      include_realm_default_subscriptions: true,
      invite_as: 400,
    } as const
    if (!(await chat.try(chat.client.call("POST /invites", params)))) return
    setEmails("")
    chat.say(words.invited)
    await read()
  }
  const revoke = async ({ id, is_multiuse }: Invitation) => {
    const params = { invite_id: id }
    const asked = is_multiuse
      ? chat.client.call("DELETE /invites/multiuse/{invite_id}", params)
      : chat.client.call("DELETE /invites/{invite_id}", params)
    if (await chat.try(asked)) await read()
  }
  return (
    <>
      <form class="row" onSubmit={invite}>
        <input
          class="grow"
          required
          placeholder={words.inviteHint}
          aria-label={words.inviteHint}
          value={emails}
          onInput={(event) => setEmails(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          {words.invite}
        </button>
      </form>
      <h3>{words.invitations}</h3>
      {open.length === 0 && <p class="quiet">{words.noInvitations}</p>}
      <ul class="rows">
        {open.map((each) => (
          <li key={each.id}>
            <span class="grow">{"email" in each ? String(each.email) : String(each.link_url)}</span>
            <button type="button" onClick={() => void revoke(each)}>
              {words.revoke}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

const mostShown = 100

export const Organization = () => {
  const chat = useChat()
  const state = useState((state) => state)
  const [name, setName] = useOwn(state.realmName)
  const [text, setText] = useOwn("")
  const save = (event: Event) => {
    event.preventDefault()
    void chat.try(chat.client.call("PATCH /realm", { name })).then((done) => done && chat.say(words.saved))
  }
  const wanted = text.trim().toLowerCase()
  const people = [...state.people.values()]
    .filter((person) => `${person.name} ${person.email}`.toLowerCase().includes(wanted))
    .sort((a, b) => Number(b.isActive) - Number(a.isActive) || a.name.localeCompare(b.name))
  return (
    <Dialog title={words.organization}>
      <form class="row" onSubmit={save}>
        <input
          class="grow"
          aria-label={words.name}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit">{words.save}</button>
      </form>
      {state.self.mayInvite && <Invitations />}
      <h3>{words.people}</h3>
      <input
        type="search"
        placeholder={words.filter}
        aria-label={words.filter}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <ul class="rows">
        {people.slice(0, mostShown).map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </ul>
    </Dialog>
  )
}
