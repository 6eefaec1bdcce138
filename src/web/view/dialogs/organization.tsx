/** For administrators: the organization, its people, and who is invited. */
import { useEffect, useState } from "preact/hooks"
import type { Api } from "../../../client/index.ts"
import { words } from "../../words/words.ts"
import { FaultLine, Field, useFaults } from "../parts/form-faults.tsx"
import { useChat, useFields } from "../parts/hooks.ts"
import { useEdits } from "../parts/use-form-edits.ts"
import { Dialog, useUnsaved } from "./dialog.tsx"
import { PeopleRows } from "./people-rows.tsx"

type Invitation = Api.Operations["GET /invites"]["reply"]["invites"][number]

const Invitations = () => {
  const chat = useChat()
  const [open, setOpen] = useState<ReadonlyArray<Invitation>>([])
  const [emails, setEmails] = useState("")
  const faults = useFaults("invitee_emails")
  useUnsaved(emails.trim() !== "")
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
    const isDone = await faults.try(chat.client.call("POST /invites", params))
    if (isDone) {
      setEmails("")
      chat.say(words.invited)
    }
    // Some of them may have been sent.
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
        <Field
          faults={faults}
          name="invitee_emails"
          label={words.inviteHint}
          isBare
          isRequired
          value={emails}
          onChange={setEmails}
        />
        <button type="submit" class="primary">
          {words.invite}
        </button>
      </form>
      <FaultLine faults={faults} />
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

const NameForm = () => {
  const chat = useChat()
  const { realmName: name } = useFields("realmName")
  const { shown, touched, edit, saved } = useEdits({ name })
  const faults = useFaults("name")
  useUnsaved(shown.name !== name)
  const save = async (event: Event) => {
    event.preventDefault()
    if (!(await faults.try(chat.client.call("PATCH /realm", { name: shown.name })))) return
    saved(touched)
    chat.say(words.saved)
  }
  return (
    <form onSubmit={save}>
      <div class="row">
        <Field
          faults={faults}
          name="name"
          label={words.name}
          isBare
          isRequired
          value={shown.name}
          onChange={(name) => edit({ name })}
        />
        <button type="submit">{words.save}</button>
      </div>
      <FaultLine faults={faults} />
    </form>
  )
}

export const OrganizationDialog = () => {
  const { self } = useFields("self")
  return (
    <Dialog title={words.organization}>
      {self.isAdmin && <NameForm />}
      {self.mayInvite && <Invitations />}
      <PeopleRows />
    </Dialog>
  )
}
