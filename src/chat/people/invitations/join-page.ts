/**
 * The page on which an invitation is accepted, and its form, which makes the account. A link that is over, was used, was revoked
 * or never was shows the same page. Nothing is known of a visitor but the link, so nobody else's browser can be made to do
 * anything by it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ApiError, badRequest } from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import type { HtmlPage, HtmlPageRequest } from "../../../api/web-page.ts"
import { Config } from "../../../config/config.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { readEmail, readUserName } from "../../ground/requester/read-names.ts"
import { mayAskDirectory } from "../../ground/sign-in/password-sign-in.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { canSendMail } from "../../sending/mail/mail.ts"
import { isMailAddress } from "../../sending/mail/mail-headers.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { accountLinkHash } from "../account-links/account-link.ts"
import { field, passwordField, showForm } from "../account-links/page-form.ts"
import { addressInUse, minPasswordLength, readNewPassword } from "../users/new-user.ts"
import { acceptInvitation, type InvitedPerson } from "./accept-invitation.ts"
import { joinPrefix } from "./invitation-link.ts"
import { findGrant } from "./invitation-rules.ts"
import { findInvitationByLink, type Invitation } from "./invitation-store.ts"

const gonePage: HtmlPage = {
  status: 404,
  title: "This link is not valid",
  body: "<p>It may have been used already, or it is too old. Ask whoever invited you for another.</p>",
}

/** What was entered; the password is not shown again. */
interface EnteredAccount {
  readonly email: string
  readonly name: string
}

const formPage = (realm: Realm, invitation: Invitation, entered: EnteredAccount, fault?: ApiError): HtmlPage => {
  const { email } = invitation
  const address =
    email === null
      ? field("email", "Your e-mail address", { type: "email", autocomplete: "email", value: entered.email })
      : `<p>Your address here: <strong>${escapeHtml(email)}</strong></p>`
  return {
    status: fault === undefined ? 200 : fault.status,
    title: `Join ${escapeHtml(realm.settings.name)}`,
    body: showForm(
      [
        address,
        field("full_name", "Your name", { type: "text", autocomplete: "name", maxlength: 100, value: entered.name }),
        passwordField("password", "A password", minPasswordLength),
      ],
      "Join",
      fault,
    ),
  }
}

const donePage = (realm: Realm, { email, full_name }: UserRecord, origin: string): HtmlPage => ({
  status: 200,
  title: `Welcome to ${escapeHtml(realm.settings.name)}`,
  body: `<p>${escapeHtml(full_name)}, your account is made. <a href="/">Sign in here</a>, or with a Zulip client, such as the app
for your phone or zulip-terminal:</p>
<ul>
<li>the server's address is <strong>${escapeHtml(origin)}</strong></li>
<li>your address is <strong>${escapeHtml(email)}</strong></li>
<li>and the password is the one that you have chosen</li>
</ul>`,
})

const fullName = text("full_name")
const email = text("email")
const password = text("password")

const needsMail = badRequest("People sign in by a directory here: ask for an invitation by mail.")

/** The same rules as elsewhere; a field that was not sent is empty. */
const readForm = (invitation: Invitation, form: ReadonlyMap<string, string>, hasDirectory: boolean) =>
  Result.gen(function* () {
    const sent = (name: string) => form.get(name) ?? ""
    // A link proves no address, and whoever had the directory's would be let into the account by it.
    if (invitation.email === null && hasDirectory) return yield* Result.fail(needsMail)
    const address = invitation.email ?? (yield* readEmail(yield* email.read(sent("email"))))
    if (!isMailAddress(address)) return yield* Result.fail(badRequest("Enter a valid email address."))
    return {
      email: address,
      fullName: yield* readUserName(yield* fullName.read(sent("full_name"))),
      password: yield* readNewPassword(yield* password.read(sent("password"))),
    }
  })

const findOpen = Effect.fnUntraced(function* ({ realm: id, name }: HtmlPageRequest) {
  if (id === null) return undefined
  const { realm } = yield* (yield* Realms).get(id)
  const invitation = yield* findInvitationByLink(id, accountLinkHash(name))
  return invitation === null || findGrant(realm, invitation) === undefined ? undefined : { id, realm, invitation }
})

const run = Effect.fnUntraced(function* (request: HtmlPageRequest) {
  const { form, origin } = request
  const open = yield* findOpen(request)
  if (open === undefined) return gonePage
  const { id, realm, invitation } = open
  if (form === null) return formPage(realm, invitation, { email: "", name: "" })
  const entered: EnteredAccount = { email: form.get("email") ?? "", name: form.get("full_name") ?? "" }
  const join = Effect.gen(function* () {
    const config = yield* Config
    const { password, ...person } = yield* Effect.fromResult(
      readForm(invitation, form, mayAskDirectory(realm.settings, config)),
    )
    // Asked before the hash, which costs most of it; the commit asks again.
    if (realm.findUserByEmail(person.email) !== undefined) return yield* addressInUse(person.email)
    const passwordHash = yield* (yield* Passwords).hash(password)
    const newcomer: InvitedPerson = { ...person, mailedUrl: canSendMail(config) ? origin : undefined, passwordHash }
    const made = yield* acceptInvitation(id, invitation, newcomer)
    return made === "gone" ? gonePage : donePage(realm, made, origin)
  })
  return yield* Effect.catchTag(join, "ApiError", (fault) =>
    Effect.succeed(formPage(realm, invitation, entered, fault)),
  )
})

export const joinPage = { prefix: joinPrefix, run }
