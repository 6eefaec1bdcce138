/** What one sets for oneself. */
import { useContext } from "preact/hooks"
import type { Params } from "../../../client/index.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { FaultLine, Field, useFaults } from "../parts/form-faults.tsx"
import { useChat, useChatState } from "../parts/hooks.ts"
import { mayLeave, SignOut } from "../parts/sign-out.ts"
import { useEdits } from "../parts/use-form-edits.ts"
import { Dialog, leaveDialog, useUnsaved } from "./dialog.tsx"

const switches = [
  ["enter_sends", words.enterSends],
  ["twenty_four_hour_time", words.clock24],
  ["presence_enabled", words.showPresence],
  ["send_stream_typing_notifications", words.sendTyping],
  ["send_read_receipts", words.readReceipts],
] as const

export const SettingsDialog = () => {
  const chat = useChat()
  const signOut = useContext(SignOut)
  const settings = useChatState((state) => state.settings)
  const self = useChatState((state) => state.people.get(state.self.id))
  const known = useChatState((state) => state.statuses.get(state.self.id))
  const isOwner = useChatState((state) => state.self.isOwner)
  const there = { name: self?.name ?? "", status: known?.text ?? "" }
  const { shown, touched, isChanged, edit, saved } = useEdits(there)
  const faults = useFaults("full_name", "status_text")
  useUnsaved(isChanged)
  const patch = (params: Params<"PATCH /settings">) => chat.try(chat.client.call("PATCH /settings", params))
  const save = async (event: Event) => {
    event.preventDefault()
    const { name: full_name, status: status_text } = touched
    const isNamed = full_name === undefined || (await faults.try(chat.client.call("PATCH /settings", { full_name })))
    const isSaid =
      isNamed &&
      (status_text === undefined || (await faults.try(chat.client.call("POST /users/me/status", { status_text }))))
    if (!isSaid) return
    saved(touched)
    chat.say(words.saved)
  }
  /** The key that all sessions have is good for nothing once there is another one. */
  const signOutEverywhere = async () => {
    const { signOutEverywhereHint: text, signOutEverywhere: action } = words
    if (!(await mayLeave(chat))) return
    if (!(await chat.ask({ title: words.signOutEverywhereTitle, text, action, isDanger: true }))) return
    if (await chat.try(chat.client.call("POST /users/me/api_key/regenerate"))) signOut()
  }
  const leave = async () => {
    if (await mayLeave(chat)) signOut()
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
        <Field
          faults={faults}
          name="full_name"
          label={words.fullName}
          isRequired
          maxLength={100}
          value={shown.name}
          onChange={(name) => edit({ name })}
        />
        <Field
          faults={faults}
          name="status_text"
          label={words.status}
          hint={words.statusHint}
          maxLength={60}
          value={shown.status}
          onChange={(status) => edit({ status })}
        />
        <FaultLine faults={faults} />
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
          <button type="button" onClick={() => void leaveDialog(chat, { kind: "keys" })}>
            {words.keys}
          </button>
          <button type="button" onClick={() => void leaveDialog(chat, { kind: "groups" })}>
            {words.groups}
          </button>
          {isOwner && (
            <button type="button" onClick={() => void leaveDialog(chat, { kind: "server" })}>
              {words.server.title}
            </button>
          )}
          <button type="button" onClick={() => void leave()}>
            {words.signOut}
          </button>
          <button type="button" onClick={() => void signOutEverywhere()}>
            {words.signOutEverywhere}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
