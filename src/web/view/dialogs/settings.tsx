/** What one sets for oneself. */
import { useContext, useState as useOwn } from "preact/hooks"
import type { Params } from "../../../client/index.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useChat, useState } from "../parts/hooks.ts"
import { mayLeave, SignOut } from "../parts/sign-out.ts"
import { Dialog } from "./dialog.tsx"

const switches = [
  ["enter_sends", words.enterSends],
  ["twenty_four_hour_time", words.clock24],
  ["presence_enabled", words.showPresence],
  ["send_stream_typing_notifications", words.sendTyping],
  ["send_read_receipts", words.readReceipts],
] as const

export const Settings = () => {
  const chat = useChat()
  const signOut = useContext(SignOut)
  const settings = useState((state) => state.settings)
  const self = useState((state) => state.people.get(state.self.id))
  const known = useState((state) => state.statuses.get(state.self.id))
  const isOwner = useState((state) => state.self.isOwner)
  const [name, setName] = useOwn(self?.name ?? "")
  const [status, setStatus] = useOwn(known?.text ?? "")
  const patch = (params: Params<"PATCH /settings">) => chat.try(chat.client.call("PATCH /settings", params))
  const save = async (event: Event) => {
    event.preventDefault()
    const isNamed = name === self?.name || (await patch({ full_name: name }))
    const isSaid =
      status === (known?.text ?? "") ||
      (await chat.try(chat.client.call("POST /users/me/status", { status_text: status })))
    if (isNamed && isSaid) chat.say(words.saved)
  }
  /** The key that all sessions have is good for nothing once there is another one. */
  const signOutEverywhere = async () => {
    if (mayLeave() && (await chat.try(chat.client.call("POST /users/me/api_key/regenerate")))) signOut()
  }
  const setPicture = (file: File | undefined) => {
    if (file !== undefined) void chat.try(chat.client.call("POST /users/me/avatar", { file }))
  }
  return (
    <Dialog title={words.settings}>
      <form class="fields" onSubmit={save}>
        <h3>{words.profile}</h3>
        <div class="row">
          <Avatar url={self?.avatarUrl ?? null} name={self?.name ?? "?"} id={self?.id ?? 0} size="large" />
          <label class="button">
            {words.changePicture}
            <input
              class="unseen"
              type="file"
              accept="image/*"
              onChange={(event) => setPicture(event.currentTarget.files?.[0])}
            />
          </label>
        </div>
        <label>
          <span>{words.fullName}</span>
          <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          <span>{words.status}</span>
          <input
            maxLength={60}
            placeholder={words.statusHint}
            value={status}
            onInput={(event) => setStatus(event.currentTarget.value)}
          />
        </label>
        <p class="row">
          <button type="submit" class="primary">
            {words.save}
          </button>
        </p>
        <h3>{words.preferences}</h3>
        {switches.map(([property, label]) => (
          <label class="check" key={property}>
            <input
              type="checkbox"
              checked={settings?.[property] ?? false}
              onChange={(event) => void patch({ [property]: event.currentTarget.checked })}
            />
            <span>{label}</span>
          </label>
        ))}
        <p class="row end">
          <button type="button" onClick={() => chat.show({ dialog: { kind: "keys" } })}>
            {words.keys}
          </button>
          <button type="button" onClick={() => chat.show({ dialog: { kind: "groups" } })}>
            {words.groups}
          </button>
          {isOwner && (
            <button type="button" onClick={() => chat.show({ dialog: { kind: "server" } })}>
              {words.server.title}
            </button>
          )}
          <button type="button" onClick={() => mayLeave() && signOut()}>
            {words.signOut}
          </button>
          <button type="button" title={words.signOutEverywhereHint} onClick={() => void signOutEverywhere()}>
            {words.signOutEverywhere}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
