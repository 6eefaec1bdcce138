/**
 * The page at /new/ on which people ask for an organization of their own, where the operator has named a domain for these. It
 * sends a link to the address of whoever is to be the owner; nothing exists before that is followed. The answer tells nothing of
 * the address; that a host is taken everybody can see.
 */
import * as Effect from "effect/Effect"
import { type ApiError, badRequest, rateLimited } from "../../../api/errors.ts"
import type { HtmlPage, HtmlPageRequest } from "../../../api/web-page.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import { findRealmAt } from "../../ground/realm/realm-store.ts"
import { readEmail } from "../../ground/requester/read-names.ts"
import { longestRealmName } from "../../organization/organization/patch-realm.ts"
import { newLinkToken } from "../../people/account-links/account-link.ts"
import { field, showForm } from "../../people/account-links/page-form.ts"
import { canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { isMailAddress } from "../../sending/mail/mail-headers.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { readRealmName } from "../commands/organization-commands.ts"
import { hostAt, hostTakenError, readLabel } from "./sign-up-host.ts"
import { signUpMail } from "./sign-up-mail.ts"
import { askSignUp } from "./sign-up-store.ts"
import { SignUpThrottle } from "./sign-up-throttle.ts"

/** How the addresses of both pages begin. */
export const signUpPrefix = "/new/"

/** What was entered. */
export interface RequestedOrganization {
  readonly name: string
  readonly label: string
}

/** The fields for an organization's name and address. `isFixed`: the address cannot be changed any more. */
export const organizationFields = (
  { name, label }: RequestedOrganization,
  domain: string,
  isFixed = false,
): ReadonlyArray<string> => [
  field("organization", "The name of your organization", { type: "text", maxlength: longestRealmName, value: name }),
  isFixed
    ? `<p>Its address: <strong>${escapeHtml(hostAt(label, domain))}</strong></p>`
    : field("subdomain", `Its address, before .${escapeHtml(domain)}`, {
        type: "text",
        autocapitalize: "none",
        spellcheck: "false",
        maxlength: 40,
        value: label,
      }),
]

export const signUpValues = (form: HtmlPageRequest["form"]) => ({
  name: form?.get("organization") ?? "",
  label: form?.get("subdomain") ?? "",
  email: form?.get("email") ?? "",
})

const askForm = (domain: string, entered: ReturnType<typeof signUpValues>, fault?: ApiError): HtmlPage => ({
  status: fault === undefined ? 200 : fault.status,
  title: "A new organization",
  body: showForm(
    [
      ...organizationFields(entered, domain),
      field("email", "Your e-mail address", { type: "email", autocomplete: "email", value: entered.email }),
    ],
    "Mail me a link",
    fault,
  ),
})

const askedPage: HtmlPage = {
  status: 200,
  title: "Look into your mail",
  body: "<p>A link is on its way to your address. Behind it you choose a password, and your organization is made.</p>",
}

const badAddress = badRequest("Enter a valid email address.")
const noMail = badRequest("This server cannot send mail, so no organization can be asked for.")
const tooManySignUps = () => rateLimited(3600, "Many organizations were asked for within a day: try again later")

export const isHostFree = Effect.fnUntraced(function* (host: string) {
  return (yield* findRealmAt(yield* Database, host)) === undefined
})

/** `domain`: that of new organizations. */
const requestSignUp = Effect.fnUntraced(function* (domain: string, { form, origin, address }: HtmlPageRequest) {
  const config = yield* Config
  if (!canSendMail(config)) return yield* noMail
  const entered = signUpValues(form)
  const name = yield* Effect.fromResult(readRealmName(entered.name))
  const label = yield* Effect.fromResult(readLabel(entered.label, domain, config))
  const email = yield* Effect.fromResult(readEmail(entered.email))
  if (!isMailAddress(email)) return yield* badAddress
  const throttle = yield* SignUpThrottle
  yield* Effect.fromResult(throttle.count(address))
  const host = hostAt(label, domain)
  if (!(yield* isHostFree(host))) return yield* hostTakenError
  yield* Effect.fromResult(throttle.countMail(address))
  const { token, hash } = newLinkToken()
  const mail = signUpMail(email, host, `${origin}${signUpPrefix}${token}`)
  const asked = yield* askSignUp({ hash, email, name, label }, mail, config.limits.organizationsPerDay)
  if (asked === "many") {
    ;(yield* Refusals).note("organizations asked for", "all addresses together")
    return yield* tooManySignUps()
  }
  yield* wakeMail
  return askedPage
})

/** The page without a link's token behind it. */
export const signUpRequestPage = Effect.fnUntraced(function* (domain: string, request: HtmlPageRequest) {
  if (request.form === null) return askForm(domain, signUpValues(null))
  return yield* Effect.catchTag(requestSignUp(domain, request), "ApiError", (fault) =>
    Effect.succeed(askForm(domain, signUpValues(request.form), fault)),
  )
})
