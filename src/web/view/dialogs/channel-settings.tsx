/** One channel: what it is, who may post, and who is in it. What the reader may not change is shown as it is. */
import { useEffect, useState as useOwn } from "preact/hooks"
import type { Api } from "../../../client/index.ts"
import type { Channel, State } from "../../state/model.ts"
import { mayAddSubscribers, mayAdminister, mayRemoveSubscribers } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useEdits } from "../parts/edits.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { Members } from "../parts/members.tsx"
import { Dialog } from "./dialog.tsx"

/** Groups of the server that may be let post, from many to few. */
const posters = ["role:everyone", "role:members", "role:moderators", "role:administrators"] as const

const groupNamed = (state: State, name: string): number | null =>
  [...state.groups.values()].find((group) => group.is_system_group && group.name === name)?.id ?? null

/** The name of the server's group that holds a permission; null where it is another, or people by themselves. */
const nameOf = (state: State, holders: Api.PermissionHolders) => {
  const group = typeof holders === "number" ? state.groups.get(holders) : undefined
  return posters.find((each) => group?.is_system_group === true && group.name === each) ?? null
}

interface Edited extends Pick<Channel, "name" | "description" | "isPrivate"> {
  /** The name of a group of the server; empty where others may post. */
  readonly poster: string
}

const Fields = ({ channel }: { readonly channel: Channel }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const most = state.limits.channel
  const isFree = mayAdminister(state, channel)
  const known = nameOf(state, channel.permissions.post)
  const there: Edited = { ...channel, poster: known ?? "" }
  const { shown, touched, edit, saved } = useEdits(there)
  const save = async (event: Event) => {
    event.preventDefault()
    const { poster, isPrivate, description } = touched
    const name = touched.name?.trim()
    const group = poster === undefined ? null : groupNamed(state, poster)
    const asked = chat.client.call("PATCH /streams/{stream_id}", {
      stream_id: channel.id,
      new_name: name === channel.name ? undefined : name,
      description,
      // Said again it would mean more: that the history is no longer shared.
      is_private: isPrivate === channel.isPrivate ? undefined : isPrivate,
      can_send_message_group: group === null ? undefined : { new: group },
    })
    if (!(await chat.try(asked))) return
    saved(touched)
    chat.say(words.saved)
  }
  const archive = async () => {
    if (!confirm(words.archiveHint(channel.name))) return
    if (await chat.try(chat.client.call("DELETE /streams/{stream_id}", { stream_id: channel.id })))
      chat.show({ dialog: null })
  }
  return (
    <form class="fields" onSubmit={save}>
      <label>
        <span>{words.name}</span>
        <input
          required
          disabled={!isFree}
          maxLength={most}
          value={shown.name}
          onInput={(event) => edit({ name: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>{words.description}</span>
        <input
          disabled={!isFree}
          value={shown.description}
          onInput={(event) => edit({ description: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>{words.whoPosts}</span>
        <select
          disabled={!isFree}
          value={shown.poster}
          onChange={(event) => edit({ poster: event.currentTarget.value })}
        >
          {known === null && <option value="">{words.othersPost}</option>}
          {posters.map((each) => (
            <option key={each} value={each}>
              {words.posters[each]}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          disabled={!isFree}
          checked={shown.isPrivate}
          onChange={(event) => edit({ isPrivate: event.currentTarget.checked })}
        />
        <span>{words.onlyInvited}</span>
      </label>
      {isFree && (
        <p class="row">
          <button type="submit" class="primary">
            {words.save}
          </button>
          <button type="button" onClick={() => void archive()}>
            {words.archive}
          </button>
        </p>
      )}
    </form>
  )
}

const Subscribers = ({ channel }: { readonly channel: Channel }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const [members, setMembers] = useOwn<ReadonlyArray<number>>([])
  const { id, name, subscriberCount } = channel
  // Events say how many there are: who they are is asked again when that has changed.
  useEffect(() => {
    const asked = chat.client.call("GET /streams/{stream_id}/members", { stream_id: id })
    void chat.try(asked.then(({ subscribers }) => setMembers(subscribers)))
  }, [id, subscriberCount])
  const add = (user: number) =>
    void chat.try(chat.client.call("POST /users/me/subscriptions", { subscriptions: [{ name }], principals: [user] }))
  const remove = (user: number) =>
    void chat.try(chat.client.call("DELETE /users/me/subscriptions", { subscriptions: [name], principals: [user] }))
  return (
    <>
      <h3>{words.people}</h3>
      <Members
        members={members}
        mayAdd={() => mayAddSubscribers(state, channel)}
        mayRemove={(user) => user === state.self.id || mayRemoveSubscribers(state, channel)}
        onAdd={add}
        onRemove={remove}
      />
    </>
  )
}

export const ChannelSettings = ({ channel: id }: { readonly channel: number }) => {
  const channel = useState((state) => state.channels.get(id))
  if (channel === undefined || channel.isArchived) return <Dialog title={words.channels}>{words.gone}</Dialog>
  return (
    <Dialog title={`#${channel.name}`}>
      <Fields channel={channel} />
      <Subscribers channel={channel} />
    </Dialog>
  )
}
