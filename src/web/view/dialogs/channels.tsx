/** All channels that one may see, and new ones. */
import { useState as useOwn } from "preact/hooks"
import type { Channel } from "../../state/model.ts"
import { linkTo } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { ChannelSign } from "../parts/place-names.tsx"
import { Dialog } from "./dialog.tsx"
import { PeopleField, PeopleForm } from "./new-direct.tsx"

const mostShown = 100

const ChannelRow = ({ channel }: { readonly channel: Channel }) => {
  const chat = useChat()
  const toggle = () => {
    const { name } = channel
    void chat.try(
      channel.isSubscribed
        ? chat.client.call("DELETE /users/me/subscriptions", { subscriptions: [name] })
        : chat.client.call("POST /users/me/subscriptions", { subscriptions: [{ name }] }),
    )
  }
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
      <button type="button" class={channel.isSubscribed ? "" : "primary"} onClick={toggle}>
        {channel.isSubscribed ? words.unsubscribe : words.subscribe}
      </button>
    </li>
  )
}

export const Channels = () => {
  const chat = useChat()
  const [text, setText] = useOwn("")
  const channels = useState((state) => state.channels)
  const self = useState((state) => state.self)
  const shown = [...channels.values()]
    .filter(({ name, isArchived }) => !isArchived && name.toLowerCase().includes(text.trim().toLowerCase()))
    .sort((a, b) => a.name.localeCompare(b.name))
    .slice(0, mostShown)
  return (
    <Dialog title={words.allChannels}>
      <p class="row">
        <input
          class="grow"
          type="search"
          placeholder={words.filter}
          aria-label={words.filter}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {(self.mayCreatePublic || self.mayCreatePrivate) && (
          <button type="button" onClick={() => chat.show({ dialog: { kind: "new-channel" } })}>
            {words.newChannel}
          </button>
        )}
      </p>
      <ul class="rows">
        {shown.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} />
        ))}
      </ul>
    </Dialog>
  )
}

export const NewChannel = () => {
  const chat = useChat()
  const self = useState((state) => state.self)
  const most = useState((state) => state.limits.channel)
  const [name, setName] = useOwn("")
  const [description, setDescription] = useOwn("")
  const [people, setPeople] = useOwn<ReadonlySet<number>>(new Set([self.id]))
  const [isPrivate, setPrivate] = useOwn(!self.mayCreatePublic)
  const create = (event: Event) => {
    event.preventDefault()
    const asked = chat.client.call("POST /channels/create", {
      name: name.trim(),
      description,
      invite_only: isPrivate,
      subscribers: [...people],
    })
    void chat.try(
      asked.then(({ id }) => {
        location.hash = linkTo({ kind: "channel", channel: id })
        chat.show({ dialog: null })
      }),
    )
  }
  return (
    <Dialog title={words.newChannel}>
      <form class="fields" onSubmit={create}>
        <label>
          <span>{words.name}</span>
          <input required maxLength={most} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          <span>{words.description}</span>
          <input value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        </label>
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
        <p class="row">
          <button type="submit" class="primary">
            {words.create}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

export const AddPeople = ({ channel }: { readonly channel: number }) => {
  const chat = useChat()
  const name = useState((state) => state.channels.get(channel)?.name ?? "")
  const [people, setPeople] = useOwn<ReadonlySet<number>>(new Set())
  const add = async (event: Event) => {
    event.preventDefault()
    const params = { subscriptions: [{ name }], principals: [...people] }
    if (await chat.try(chat.client.call("POST /users/me/subscriptions", params))) chat.show({ dialog: null })
  }
  return (
    <Dialog title={`${words.addPeople}: #${name}`}>
      <PeopleForm chosen={people} onChange={setPeople} label={words.add} onSubmit={add} />
    </Dialog>
  )
}
