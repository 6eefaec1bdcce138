/** Groups of people, who can be mentioned together and hold permissions: all of them, one, and new ones. */
import { useState } from "preact/hooks"
import { byName } from "../../state/people.ts"
import { mayAddMember, mayCreateGroups, mayManageGroup, mayRemoveMember } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useFilteredList } from "../parts/filtered-list.tsx"
import { FaultLine, Field, useFaults } from "../parts/form-faults.tsx"
import { useChat, useChatState, useFields } from "../parts/hooks.ts"
import { MemberList } from "../parts/members.tsx"
import { useEdits } from "../parts/use-form-edits.ts"
import { Dialog, useUnsaved } from "./dialog.tsx"
import { PeopleField } from "./new-direct.tsx"

export const Groups = () => {
  const chat = useChat()
  const state = useFields("self", "groups", "permissions")
  const groups = [...state.groups.values()]
    .filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
    .sort(byName)
  const { found, filterIfLong, rest } = useFilteredList(groups, ({ name, description }) => `${name} ${description}`)
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
      {filterIfLong}
      <ul class="rows">
        {found.map(({ id, name, description, members }) => (
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
      {rest}
    </Dialog>
  )
}

export const Group = ({ group: id }: { readonly group: number }) => {
  const chat = useChat()
  const state = useFields("self", "groups", "permissions", "people")
  const group = state.groups.get(id)
  const there = { name: group?.name ?? "", description: group?.description ?? "" }
  const { shown, touched, edit, saved, isChanged } = useEdits(there)
  const faults = useFaults("name", "description")
  useUnsaved(isChanged)
  if (group === undefined || group.deactivated) return <Dialog title={words.groups}>{words.gone}</Dialog>
  const mayManage = mayManageGroup(state, group)
  const save = async (event: Event) => {
    event.preventDefault()
    const params = { user_group_id: id, name: touched.name?.trim(), description: touched.description }
    const isTouched = params.name !== undefined || params.description !== undefined
    if (isTouched && !(await faults.try(chat.client.call("PATCH /user_groups/{user_group_id}", params)))) return
    saved(touched)
    chat.say(words.saved)
  }
  const change = (params: { readonly add?: ReadonlyArray<number>; readonly delete?: ReadonlyArray<number> }) =>
    void chat.try(chat.client.call("POST /user_groups/{user_group_id}/members", { user_group_id: id, ...params }))
  const takeOut = async (user: number) => {
    const { takeOut, takeOutGroup, leave, leaveGroup } = words
    const who = state.people.get(user)?.name ?? words.unknownPerson
    const isYes = await chat.ask(
      user === state.self.id
        ? { title: words.leaveTitle(group.name), text: leaveGroup, action: leave, isDanger: true }
        : { title: words.takeOutTitle(who, group.name), text: takeOutGroup, action: takeOut, isDanger: true },
    )
    if (isYes) change({ delete: [user] })
  }
  const remove = async () => {
    const { endGroup: text, remove: action } = words
    if (!(await chat.ask({ title: words.endGroupTitle(group.name), text, action, isDanger: true }))) return
    const gone = chat.client.call("POST /user_groups/{user_group_id}/deactivate", { user_group_id: id })
    if (await chat.try(gone)) chat.show({ dialog: { kind: "groups" } })
  }
  return (
    <Dialog title={group.name}>
      <form class="fields" onSubmit={save}>
        <Field
          faults={faults}
          name="name"
          label={words.name}
          isRequired
          isFixed={!mayManage}
          value={shown.name}
          onChange={(name) => edit({ name })}
        />
        <Field
          faults={faults}
          name="description"
          label={words.description}
          isFixed={!mayManage}
          value={shown.description}
          onChange={(description) => edit({ description })}
        />
        <FaultLine faults={faults} />
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
      <MemberList
        members={group.members}
        mayAdd={(user) => mayAddMember(state, group, user)}
        mayRemove={(user) => mayRemoveMember(state, group, user)}
        onAdd={(user) => change({ add: [user] })}
        onRemove={(user) => void takeOut(user)}
      />
    </Dialog>
  )
}

export const NewGroup = () => {
  const chat = useChat()
  const self = useChatState((state) => state.self.id)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set([self]))
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const faults = useFaults("name", "description")
  useUnsaved(name !== "" || description !== "" || chosen.size > 1)
  const create = async (event: Event) => {
    event.preventDefault()
    const params = { name: name.trim(), description, members: [...chosen] }
    if (await faults.try(chat.client.call("POST /user_groups/create", params)))
      chat.show({ dialog: { kind: "groups" } })
  }
  return (
    <Dialog title={words.newGroup}>
      <form class="fields" onSubmit={create}>
        <Field faults={faults} name="name" label={words.name} isRequired value={name} onChange={setName} />
        <Field
          faults={faults}
          name="description"
          label={words.description}
          value={description}
          onChange={setDescription}
        />
        <PeopleField chosen={chosen} onChange={setChosen} />
        <FaultLine faults={faults} />
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
