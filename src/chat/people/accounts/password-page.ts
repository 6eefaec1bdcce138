/**
 * The page on which another password is asked for, and, behind a link that was mailed, chosen. Who has none, because an operator
 * made their account without, gets their first one so. Asking is limited as wrong passwords are, for each address and from
 * each network address, whether or not there is an account.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ApiError, badRequest } from "../../../api/errors.ts"
import type { HtmlPage, HtmlPageRequest } from "../../../api/web-page.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { readEmail } from "../../ground/requester/read-names.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { SignInThrottle } from "../../ground/sign-in/sign-in-throttle.ts"
import { canSendMail } from "../../sending/mail/mail.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { accountLinkHash, linkPages } from "../account-links/account-link.ts"
import { accountLinkUsedRow } from "../account-links/account-link-kinds.ts"
import { findAccountLink } from "../account-links/account-link-store.ts"
import { field, passwordField, showForm } from "../account-links/page-form.ts"
import { passwordRow } from "../users/account-kinds.ts"
import { minPasswordLength, readNewPassword } from "../users/new-user.ts"
import { invalidLinkPage } from "./invalid-link-page.ts"
import { hasPasswords, mayChoose, passwordRequestKind } from "./password-request.ts"

const noPasswordsPage: HtmlPage = {
  status: 404,
  title: "There are no passwords here",
  body: "<p>Nobody signs in here by a password that this server keeps.</p>",
}

const askPage = (realm: Realm, entered: string, fault?: ApiError): HtmlPage => ({
  status: fault === undefined ? 200 : fault.status,
  title: `Another password for ${escapeHtml(realm.settings.name)}`,
  body: showForm(
    [field("email", "The e-mail address of your account", { type: "email", autocomplete: "email", value: entered })],
    "Mail me a link",
    fault,
  ),
})

const askedPage: HtmlPage = {
  status: 200,
  title: "Look into your mail",
  body: "<p>If an account has this address, a link by which you choose another password is on its way to it.</p>",
}

const choosePage = (realm: Realm, fault?: ApiError): HtmlPage => ({
  status: fault === undefined ? 200 : fault.status,
  title: `Choose a password for ${escapeHtml(realm.settings.name)}`,
  body: showForm([passwordField("new_password", "Your new password", minPasswordLength)], "Save", fault),
})

const donePage: HtmlPage = {
  status: 200,
  title: "Your password is changed",
  body: `<p>Sign in with it from now on. Clients that are signed in stay so: if somebody else may be, have a new API key made in
your client's settings.</p>`,
}

const noMail = badRequest("This server cannot send mail: ask whoever runs it for another password.")

const ask = Effect.fnUntraced(function* (id: RealmId, raw: string, { origin, address }: HtmlPageRequest) {
  if (!canSendMail(yield* Config)) return yield* noMail
  const email = yield* Effect.fromResult(readEmail(raw))
  const throttle = yield* SignInThrottle
  const asking = yield* Effect.fromResult(throttle.begin(id, `another password: ${email}`, address))
  asking.end(true)
  const realms = yield* Realms
  yield* realms.submit(id, { judge: () => change([passwordRequestKind.adding([{ payload: { email, origin } }])]) })
  yield* passwordRequestKind.wake
  return askedPage
})

const judgeChoice = (realm: Realm, user: UserId, linkHash: string, passwordHash: string): Judgement<HtmlPage> =>
  mayChoose(realm, realm.users.get(user))
    ? change<HtmlPage>([accountLinkUsedRow(user, "password", linkHash), passwordRow(user, passwordHash)], {
        answer: () => donePage,
        refused: { gone: done(invalidLinkPage) },
      })
    : done(invalidLinkPage)

const choose = Effect.fnUntraced(function* (id: RealmId, realm: Realm, { name, form }: HtmlPageRequest) {
  const hash = accountLinkHash(name)
  const link = yield* findAccountLink(id, "password", hash)
  if (link === null || !mayChoose(realm, realm.users.get(link.user_id))) return invalidLinkPage
  if (form === null) return choosePage(realm)
  const wanted = readNewPassword(form.get("new_password") ?? "")
  if (Result.isFailure(wanted)) return choosePage(realm, wanted.failure)
  const passwordHash = yield* (yield* Passwords).hash(wanted.success)
  return yield* (yield* Realms).submit(id, { judge: (now) => judgeChoice(now, link.user_id, hash, passwordHash) })
})

const run = Effect.fnUntraced(function* (request: HtmlPageRequest) {
  const { realm: id, name, form } = request
  if (id === null) return invalidLinkPage
  const { realm } = yield* (yield* Realms).get(id)
  if (!hasPasswords(realm)) return noPasswordsPage
  if (name !== "") return yield* choose(id, realm, request)
  if (form === null) return askPage(realm, "")
  const entered = form.get("email") ?? ""
  return yield* Effect.catchTag(ask(id, entered, request), "ApiError", (fault) =>
    Effect.succeed(askPage(realm, entered, fault)),
  )
})

export const passwordPage = { prefix: linkPages.password, run }
