/** `parley org deactivate`, whose way back is `org reactivate`, and `parley mail test`. */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { readEmail } from "../../ground/requester/read-names.ts"
import { sendAtOnce } from "../../sending/mail/mail.ts"
import { mailParts } from "../../sending/mail/mail-parts.ts"
import { deactivateRealm } from "../setup/setup-commands.ts"
import type { ServerCommand } from "./command-schema.ts"
import { findOrganization } from "./organization-commands.ts"

type Wanted<Name> = Extract<ServerCommand, { readonly do: Name }>

/** As an owner does by the endpoint. Nothing of it is deleted. */
export const endOrganization = Effect.fnUntraced(function* ({ org, json }: Wanted<"org deactivate">) {
  const { id, host, realm } = yield* findOrganization(org)
  if (realm.isDeactivated) return yield* badRequest(`The organization at ${host} is deactivated already`)
  yield* deactivateRealm(id)
  return json
    ? JSON.stringify({ organization: host, name: realm.settings.name, is_deactivated: true })
    : `The organization ${realm.settings.name} at ${host} is deactivated: nobody can sign in until parley org reactivate`
})

const paragraphs = [
  "This mail was sent by `parley mail test`, to see whether mails of this Parley server get through.",
  "They do: nothing else is to be done.",
]

export const testMail = Effect.fnUntraced(function* ({ email, json }: Wanted<"mail test">) {
  const address = yield* Effect.fromResult(readEmail(email))
  const parts = mailParts({ paragraphs })
  const { server } = yield* sendAtOnce({ to: { name: "", address }, subject: "A test of mails from Parley", ...parts })
  if (json) return JSON.stringify({ email: address, server })
  return server === null
    ? `No mail server is named: the mail to ${address} is kept and shown at /outbox, as all are in development mode`
    : `${server} has taken the mail to ${address}: see whether it arrives`
})
