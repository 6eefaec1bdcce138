/** One channel: what it is, who may post, and who is in it. What the reader may not change is shown as it is. */
import { useEffect, useState } from "preact/hooks"
import type { Api } from "../../../client/index.ts"
import type { PageChannel, PageState } from "../../state/model.ts"
import { mayAddSubscribers, mayAdminister, mayRemoveSubscribers } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { FaultLine, Field, useFaults } from "../parts/form-faults.tsx"
import { useChat, useChatState, useFields } from "../parts/hooks.ts"
import { MemberList } from "../parts/members.tsx"
import { useEdits } from "../parts/use-form-edits.ts"
import { Dialog, useUnsaved } from "./dialog.tsx"

/** Groups of the server that may be let post, from many to few. */
const posters = ["role:everyone", "role:members", "role:moderators", "role:administrators"] as const

const groupNamed = (state: Pick<PageState, "groups">, name: string): number | null =>
  [...state.groups.values()].find((group) => group.is_system_group && group.name === name)?.id ?? null

/** The name of the server's group that holds a permission; null where it is another, or people by themselves. */
const nameOf = (state: Pick<PageState, "groups">, holders: Api.PermissionHolders) => {
  const group = typeof holders === "number" ? state.groups.get(holders) : undefined
  return posters.find((each) => group?.is_system_group === true && group.name === each) ?? null
}

interface EditedChannel extends Pick<PageChannel, "name" | "description" | "isPrivate"> {
  /** The name of a group of the server; empty where others may post. */
  readonly poster: string
}

const Fields = ({ channel }: { readonly channel: PageChannel }) => {
  const chat = useChat()
  const state = useFields("self", "groups", "permissions", "limits")
  const most = state.limits.channel
  const isFree = !channel.isArchived && mayAdminister(state, channel)
  const known = nameOf(state, channel.permissions.post)
  const there: EditedChannel = { ...channel, poster: known ?? "" }
  const { shown, touched, edit, saved, isChanged } = useEdits(there)
  const faults = useFaults("name", "description")
  useUnsaved(isChanged)
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
    if (!(await faults.try(asked))) return
    saved(touched)
    chat.say(words.saved)
  }
  const archive = async () => {
    const { archiveHint: text, archive: action } = words
    const question = { title: words.archiveTitle(channel.name), text, action, isDanger: true }
    if (!(await chat.ask(question, (state) => state.channels.get(channel.id)?.name))) return
    if (await chat.try(chat.client.call("DELETE /streams/{stream_id}", { stream_id: channel.id })))
      chat.show({ dialog: null })
  }
  return (
    <form class="fields" onSubmit={save}>
      <Field
        faults={faults}
        name="name"
        label={words.name}
        isRequired
        isFixed={!isFree}
        maxLength={most}
        value={shown.name}
        onChange={(name) => edit({ name })}
      />
      <Field
        faults={faults}
        name="description"
        label={words.description}
        isFixed={!isFree}
        value={shown.description}
        onChange={(description) => edit({ description })}
      />
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
      <FaultLine faults={faults} />
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

const Subscribers = ({ channel }: { readonly channel: PageChannel }) => {
  const chat = useChat()
  const state = useFields("self", "groups", "permissions")
  const people = useChatState((state) => state.people)
  const [members, setMembers] = useState<ReadonlyArray<number>>([])
  const { id, name, subscriberCount } = channel
  // Events say how many there are: who they are is asked again when that has changed.
  useEffect(() => {
    const asked = chat.client.call("GET /streams/{stream_id}/members", { stream_id: id })
    void chat.try(asked.then(({ subscribers }) => setMembers(subscribers)))
  }, [id, subscriberCount])
  const add = (user: number) =>
    void chat.try(chat.client.call("POST /users/me/subscriptions", { subscriptions: [{ name }], principals: [user] }))
  const isOnlyInvited = channel.isPrivate
  const remove = async (user: number) => {
    const { takeOut, takeOutText, takeOutPrivate, leave, leavePrivate } = words
    const isSelf = user === state.self.id
    const who = people.get(user)?.name ?? words.unknownPerson
    // Out of a public channel one comes back by oneself.
    const isYes =
      (isSelf && !isOnlyInvited) ||
      (await chat.ask(
        isSelf
          ? { title: words.leaveTitle(`#${name}`), text: leavePrivate, action: leave, isDanger: true }
          : {
              title: words.takeOutTitle(who, `#${name}`),
              text: isOnlyInvited ? takeOutPrivate : takeOutText,
              action: takeOut,
              isDanger: true,
            },
      ))
    if (!isYes) return
    const params = { subscriptions: [name], principals: [user] }
    await chat.try(chat.client.call("DELETE /users/me/subscriptions", params))
  }
  return (
    <>
      <h3>{words.people}</h3>
      <MemberList
        members={members}
        mayAdd={() => !channel.isArchived && mayAddSubscribers(state, channel)}
        mayRemove={(user) => !channel.isArchived && (user === state.self.id || mayRemoveSubscribers(state, channel))}
        onAdd={add}
        onRemove={(user) => void remove(user)}
      />
    </>
  )
}

export const ChannelSettings = ({ channel: id }: { readonly channel: number }) => {
  const channel = useChatState((state) => state.channels.get(id))
  if (channel === undefined) return <Dialog title={words.channels}>{words.gone}</Dialog>
  return (
    <Dialog title={`#${channel.name}`}>
      {channel.isArchived && <p class="quiet">{words.archived}</p>}
      <Fields channel={channel} />
      <Subscribers channel={channel} />
    </Dialog>
  )
}
