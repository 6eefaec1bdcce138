/** Groups of people, who can be mentioned together and hold permissions: all of them, one, and new ones. */
import { useState as useOwn } from "preact/hooks"
import { mayAddMember, mayCreateGroups, mayManageGroup, mayRemoveMember } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useEdits } from "../parts/edits.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { Members } from "../parts/members.tsx"
import { Dialog } from "./dialog.tsx"
import { PeopleField } from "./new-direct.tsx"

const mostShown = 100

export const Groups = () => {
  const chat = useChat()
  const state = useState((state) => state)
  const groups = [...state.groups.values()]
    .filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
    .sort((a, b) => a.name.localeCompare(b.name))
    .slice(0, mostShown)
  return (
    <Dialog title={words.groups}>
      {mayCreateGroups(state) && (
        <p class="row">
          <button type="button" onClick={() => chat.show({ dialog: { kind: "new-group" } })}>
            {words.newGroup}
          </button>
        </p>
      )}
      {groups.length === 0 && <p class="quiet">{words.noGroups}</p>}
      <ul class="rows">
        {groups.map(({ id, name, description, members }) => (
          <li key={id}>
            <div class="grow">
              <b>{name}</b>
              <p class="quiet">
                {words.chosenOf(members.length)}
                {description !== "" && ` · ${description}`}
              </p>
            </div>
            <button
              type="button"
              aria-label={`${words.open}: ${name}`}
              onClick={() => chat.show({ dialog: { kind: "group", group: id } })}
            >
              {words.open}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

export const Group = ({ group: id }: { readonly group: number }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const group = state.groups.get(id)
  const there = { name: group?.name ?? "", description: group?.description ?? "" }
  const { shown, touched, edit, saved } = useEdits(there)
  if (group === undefined || group.deactivated) return <Dialog title={words.groups}>{words.gone}</Dialog>
  const mayManage = mayManageGroup(state, group)
  const save = async (event: Event) => {
    event.preventDefault()
    const params = { user_group_id: id, name: touched.name?.trim(), description: touched.description }
    const isChanged = params.name !== undefined || params.description !== undefined
    if (isChanged && !(await chat.try(chat.client.call("PATCH /user_groups/{user_group_id}", params)))) return
    saved(touched)
    chat.say(words.saved)
  }
  const change = (params: { readonly add?: ReadonlyArray<number>; readonly delete?: ReadonlyArray<number> }) =>
    void chat.try(chat.client.call("POST /user_groups/{user_group_id}/members", { user_group_id: id, ...params }))
  const remove = async () => {
    if (!confirm(words.endGroup(group.name))) return
    const gone = chat.client.call("POST /user_groups/{user_group_id}/deactivate", { user_group_id: id })
    if (await chat.try(gone)) chat.show({ dialog: { kind: "groups" } })
  }
  return (
    <Dialog title={group.name}>
      <form class="fields" onSubmit={save}>
        <label>
          <span>{words.name}</span>
          <input
            required
            disabled={!mayManage}
            value={shown.name}
            onInput={(event) => edit({ name: event.currentTarget.value })}
          />
        </label>
        <label>
          <span>{words.description}</span>
          <input
            disabled={!mayManage}
            value={shown.description}
            onInput={(event) => edit({ description: event.currentTarget.value })}
          />
        </label>
        {mayManage && (
          <p class="row">
            <button type="submit" class="primary">
              {words.save}
            </button>
            <button type="button" onClick={() => void remove()}>
              {words.remove}
            </button>
          </p>
        )}
      </form>
      <h3>{words.people}</h3>
      <Members
        members={group.members}
        mayAdd={(user) => mayAddMember(state, group, user)}
        mayRemove={(user) => mayRemoveMember(state, group, user)}
        onAdd={(user) => change({ add: [user] })}
        onRemove={(user) => change({ delete: [user] })}
      />
    </Dialog>
  )
}

export const NewGroup = () => {
  const chat = useChat()
  const self = useState((state) => state.self.id)
  const [chosen, setChosen] = useOwn<ReadonlySet<number>>(new Set([self]))
  const [name, setName] = useOwn("")
  const [description, setDescription] = useOwn("")
  const create = async (event: Event) => {
    event.preventDefault()
    const params = { name: name.trim(), description, members: [...chosen] }
    if (await chat.try(chat.client.call("POST /user_groups/create", params))) chat.show({ dialog: { kind: "groups" } })
  }
  return (
    <Dialog title={words.newGroup}>
      <form class="fields" onSubmit={create}>
        <label>
          <span>{words.name}</span>
          <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          <span>{words.description}</span>
          <input value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        </label>
        <PeopleField chosen={chosen} onChange={setChosen} />
        <p class="row">
          <span class="quiet grow">{words.chosen(chosen.size)}</span>
          <button type="submit" class="primary">
            {words.create}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
