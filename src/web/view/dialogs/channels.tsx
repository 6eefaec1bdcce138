/** All channels that one may see, and new ones. */
import { useMemo, useState } from "preact/hooks"
import type { PageChannel } from "../../state/model.ts"
import { linkTo } from "../../state/narrow.ts"
import { byName } from "../../state/people.ts"
import { words } from "../../words/words.ts"
import { useFilteredList } from "../parts/filtered-list.tsx"
import { FaultLine, Field, useFaults } from "../parts/form-faults.tsx"
import { useChat, useChatState } from "../parts/hooks.ts"
import { ChannelSign } from "../parts/place-names.tsx"
import { Dialog, useUnsaved } from "./dialog.tsx"
import { PeopleField, PeopleForm } from "./new-direct.tsx"

const ChannelRow = ({ channel }: { readonly channel: PageChannel }) => {
  const chat = useChat()
  const { name, isSubscribed, isPrivate } = channel
  const leave = async () => {
    const { leavePrivate: text, leave: action } = words
    if (isPrivate && !(await chat.ask({ title: words.leaveTitle(`#${name}`), text, action, isDanger: true }))) return
    await chat.try(chat.client.call("DELETE /users/me/subscriptions", { subscriptions: [name] }))
  }
  const join = () => chat.try(chat.client.call("POST /users/me/subscriptions", { subscriptions: [{ name }] }))
  return (
    <li>
      <ChannelSign color={channel.color} isPrivate={channel.isPrivate} />
      <div class="grow">
        <a href={linkTo({ kind: "channel", channel: channel.id })}>{channel.name}</a>
        <p class="quiet">
          {words.members(channel.subscriberCount)}
          {channel.description !== "" && ` · ${channel.description}`}
        </p>
      </div>
      <button
        type="button"
        class={isSubscribed ? "" : "primary"}
        onClick={() => void (isSubscribed ? leave() : join())}
      >
        {isSubscribed ? words.unsubscribe : words.subscribe}
      </button>
    </li>
  )
}

export const Channels = () => {
  const chat = useChat()
  const channels = useChatState((state) => state.channels)
  const self = useChatState((state) => state.self)
  const open = useMemo(() => [...channels.values()].filter(({ isArchived }) => !isArchived).sort(byName), [channels])
  const { found, filter, rest } = useFilteredList(open, ({ name, description }) => `${name} ${description}`)
  return (
    <Dialog title={words.allChannels}>
      <p class="row">
        {filter}
        {(self.mayCreatePublic || self.mayCreatePrivate) && (
          <button type="button" onClick={() => chat.show({ dialog: { kind: "new-channel" } })}>
            {words.newChannel}
          </button>
        )}
      </p>
      <ul class="rows">
        {found.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} />
        ))}
      </ul>
      {rest}
    </Dialog>
  )
}

export const NewChannel = () => {
  const chat = useChat()
  const self = useChatState((state) => state.self)
  const most = useChatState((state) => state.limits.channel)
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [people, setPeople] = useState<ReadonlySet<number>>(new Set([self.id]))
  const [isPrivate, setPrivate] = useState(!self.mayCreatePublic)
  const faults = useFaults("name", "description")
  useUnsaved(name !== "" || description !== "" || people.size > 1)
  const create = (event: Event) => {
    event.preventDefault()
    const asked = chat.client.call("POST /channels/create", {
      name: name.trim(),
      description,
      invite_only: isPrivate,
      subscribers: [...people],
    })
    void faults.try(
      asked.then(({ id }) => {
        location.hash = linkTo({ kind: "channel", channel: id })
        chat.show({ dialog: null })
      }),
    )
  }
  return (
    <Dialog title={words.newChannel}>
      <form class="fields" onSubmit={create}>
        <Field
          faults={faults}
          name="name"
          label={words.name}
          isRequired
          maxLength={most}
          value={name}
          onChange={setName}
        />
        <Field
          faults={faults}
          name="description"
          label={words.description}
          value={description}
          onChange={setDescription}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isPrivate}
            disabled={!self.mayCreatePrivate || !self.mayCreatePublic}
            onChange={(event) => setPrivate(event.currentTarget.checked)}
          />
          <span>{words.onlyInvited}</span>
        </label>
        <h3>{words.addPeople}</h3>
        <PeopleField chosen={people} onChange={setPeople} />
        <FaultLine faults={faults} />
        <p class="row">
          <button type="submit" class="primary">
            {words.create}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

export const AddSubscribers = ({ channel }: { readonly channel: number }) => {
  const chat = useChat()
  const name = useChatState((state) => state.channels.get(channel)?.name ?? "")
  const [people, setPeople] = useState<ReadonlySet<number>>(new Set())
  const faults = useFaults()
  useUnsaved(people.size > 0)
  const add = async (event: Event) => {
    event.preventDefault()
    const params = { subscriptions: [{ name }], principals: [...people] }
    if (await faults.try(chat.client.call("POST /users/me/subscriptions", params))) chat.show({ dialog: null })
  }
  return (
    <Dialog title={`${words.addPeople}: #${name}`}>
      <PeopleForm chosen={people} onChange={setPeople} label={words.add} onSubmit={add} />
      <FaultLine faults={faults} />
    </Dialog>
  )
}
