/**
 * The page behind the link that was mailed to whoever wants an organization: its form makes it. Looking at it changes nothing,
 * because programs that check mails open links, too. It is made as operators make one, in turn with their commands, and where
 * that was cut off the same link goes on with it.
 */
import * as Effect from "effect/Effect"
import type { ApiError } from "../../../api/errors.ts"
import type { HtmlPage, HtmlPageRequest } from "../../../api/web-page.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import { findRealmAt } from "../../ground/realm/realm-store.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { readUserName } from "../../ground/requester/read-names.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { accountLinkHash } from "../../people/account-links/account-link.ts"
import { field, passwordField, showForm } from "../../people/account-links/page-form.ts"
import { minPasswordLength, readNewPassword } from "../../people/users/new-user.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { makeOrganization, readRealmName } from "../commands/organization-commands.ts"
import { ServerCommands } from "../commands/server-commands.ts"
import { hostAt, hostTakenError, originAt, readLabel } from "./sign-up-host.ts"
import {
  isHostFree,
  organizationFields,
  type RequestedOrganization,
  signUpPrefix,
  signUpRequestPage,
  signUpValues,
} from "./sign-up-request-page.ts"
import { beginSignUp, endSignUp, findSignUp, type SignUp } from "./sign-up-store.ts"

const gonePage: HtmlPage = {
  status: 404,
  title: "This link is not valid",
  body: "<p>It may have been used already, or it is too old. Ask for the organization again.</p>",
}

const makeForm = (
  domain: string,
  { email, is_begun }: SignUp,
  wanted: RequestedOrganization,
  fullName: string,
  fault?: ApiError,
): HtmlPage => ({
  status: fault === undefined ? 200 : fault.status,
  title: "Make your organization",
  body: showForm(
    [
      ...organizationFields(wanted, domain, is_begun),
      `<p>Your address there: <strong>${escapeHtml(email)}</strong></p>`,
      field("full_name", "Your name", { type: "text", autocomplete: "name", maxlength: 100, value: fullName }),
      passwordField("password", "A password", minPasswordLength),
    ],
    "Make it",
    fault,
  ),
})

/** `isOlder`: it was made already when this form was sent, by the same link. */
const donePage = (name: string, email: string, address: string, isOlder = false): HtmlPage => ({
  status: 200,
  title: `${escapeHtml(name)} is made`,
  body: `<p>You are its owner. Sign in with a Zulip client, such as the app for your phone or zulip-terminal:</p>
<ul>
<li>the server's address is <strong>${escapeHtml(address)}</strong></li>
<li>your address is <strong>${escapeHtml(email)}</strong></li>
<li>and the password is the one that you have chosen${isOlder ? " when you sent the form first" : ""}</li>
</ul>`,
})

interface CompleteSignUp extends RequestedOrganization {
  readonly fullName: string
  readonly passwordHash: string
}

/** The owner of a finished organization at the host, if it is whoever the link was mailed to: only its last step was cut off. */
const findMade = Effect.fnUntraced(function* ({ email, is_begun }: SignUp, host: string) {
  if (!is_begun) return undefined
  const found = yield* findRealmAt(yield* Database, host)
  if (found === undefined || found.unfinished) return undefined
  const { realm } = yield* (yield* Realms).get(found.id)
  const user = realm.findUserByEmail(email)
  return user !== undefined && user.role === roles.owner ? { realm, user } : undefined
})

/** In its turn, so that nobody else takes the host, or uses the link, meanwhile. */
const make = Effect.fnUntraced(function* (hash: string, domain: string, origin: string, whole: CompleteSignUp) {
  const signUp = yield* findSignUp(hash)
  if (signUp === undefined) return gonePage
  const { name, fullName, passwordHash } = whole
  const label = signUp.is_begun ? signUp.label : whole.label
  const host = hostAt(label, domain)
  if (!signUp.is_begun) {
    if (!(yield* isHostFree(host))) return yield* hostTakenError
    yield* beginSignUp(hash, name, label)
  }
  const made = yield* findMade(signUp, host)
  if (made !== undefined) {
    yield* endSignUp(hash)
    return donePage(made.realm.settings.name, made.user.email, originAt(host, origin), true)
  }
  const { realm, user } = yield* makeOrganization({ host, name, email: signUp.email, fullName, passwordHash })
  yield* endSignUp(hash)
  return donePage(realm.settings.name, user.email, originAt(host, origin))
})

const makePage = Effect.fnUntraced(function* (domain: string, { name: token, form, origin }: HtmlPageRequest) {
  const hash = accountLinkHash(token)
  const signUp = yield* findSignUp(hash)
  if (signUp === undefined) return gonePage
  if (form === null) return makeForm(domain, signUp, signUp, "")
  const entered = signUpValues(form)
  const fullName = form.get("full_name") ?? ""
  const wanted = { name: entered.name, label: signUp.is_begun ? signUp.label : entered.label }
  const making = Effect.gen(function* () {
    const config = yield* Config
    const read = {
      name: yield* Effect.fromResult(readRealmName(wanted.name)),
      label: yield* Effect.fromResult(readLabel(wanted.label, domain, config)),
      fullName: yield* Effect.fromResult(readUserName(fullName)),
    }
    const password = yield* Effect.fromResult(readNewPassword(form.get("password") ?? ""))
    // To hash it takes a processor for a while, and is done for nobody who is refused all the same.
    if (!signUp.is_begun && !(yield* isHostFree(hostAt(read.label, domain)))) return yield* hostTakenError
    const passwordHash = yield* (yield* Passwords).hash(password)
    return yield* (yield* ServerCommands).inTurn(make(hash, domain, origin, { ...read, passwordHash }))
  })
  return yield* Effect.catchTag(making, "ApiError", (fault) =>
    Effect.succeed(makeForm(domain, signUp, wanted, fullName, fault)),
  )
})

const run = Effect.fnUntraced(function* (request: HtmlPageRequest) {
  const { signUpDomain, externalUrl } = yield* Config
  // At an organization's own host there is no page for others.
  if (signUpDomain === null || request.origin !== (externalUrl ?? request.origin)) return gonePage
  return yield* request.name === "" ? signUpRequestPage(signUpDomain, request) : makePage(signUpDomain, request)
})

export const signUpPage = {
  prefix: signUpPrefix,
  isServed: ({ signUpDomain }: { readonly signUpDomain: string | null }): boolean => signUpDomain !== null,
  run,
}
