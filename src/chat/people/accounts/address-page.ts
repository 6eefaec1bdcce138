/**
 * The page behind the link by which somebody shows that an address is theirs. Looking at it changes nothing, because programs that
 * check mails open links, too; its button does. The rules are asked again: the address may have been taken meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiError } from "../../../api/errors.ts"
import type { HtmlPage, HtmlPageRequest } from "../../../api/web-page.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import type { UserId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { accountLinkHash, linkPages } from "../account-links/account-link.ts"
import { accountLinkUsedRow } from "../account-links/account-link-kinds.ts"
import { findAccountLink } from "../account-links/account-link-store.ts"
import { showForm } from "../account-links/page-form.ts"
import { addressSteps, readAddress, requireFree, requireOwnChange } from "../users/new-address.ts"
import { invalidLinkPage } from "./invalid-link-page.ts"

const confirmPage = (realm: Realm, { full_name }: UserRecord, email: string, fault?: ApiError): HtmlPage => ({
  status: fault === undefined ? 200 : fault.status,
  title: `Your new address in ${escapeHtml(realm.settings.name)}`,
  body: showForm(
    [`<p>${escapeHtml(full_name)}, your address there will be <strong>${escapeHtml(email)}</strong>.</p>`],
    "Confirm",
    fault,
  ),
})

const donePage = (email: string): HtmlPage => ({
  status: 200,
  title: "Your address is changed",
  body: `<p>It is <strong>${escapeHtml(email)}</strong> now. Sign in with it from now on.</p>`,
})

const judge = (realm: Realm, id: UserId, hash: string, email: string, canSend: boolean): Judgement<HtmlPage> => {
  const user = realm.users.get(id)
  if (user === undefined || !realm.isActive(id) || realm.isDeactivated) return done(invalidLinkPage)
  const checked = Result.gen(function* () {
    yield* requireOwnChange(realm, user)
    yield* readAddress(realm, email)
    yield* requireFree(realm, user, email)
  })
  return judgementOf(checked, () =>
    change<HtmlPage>([accountLinkUsedRow(id, "email", hash), ...addressSteps(realm, user, email, canSend)], {
      answer: () => donePage(email),
      refused: { gone: done(invalidLinkPage) },
    }),
  )
}

const run = Effect.fnUntraced(function* ({ realm: id, name, form }: HtmlPageRequest) {
  if (id === null) return invalidLinkPage
  const { realm } = yield* (yield* Realms).get(id)
  const hash = accountLinkHash(name)
  const link = yield* findAccountLink(id, "email", hash)
  const user = link === null ? undefined : realm.users.get(link.user_id)
  if (link === null || user === undefined || !realm.isActive(user.id) || realm.isDeactivated) return invalidLinkPage
  if (form === null) return confirmPage(realm, user, link.email)
  const canSend = canSendMail(yield* Config)
  const confirm = Effect.gen(function* () {
    const page = yield* (yield* Realms).submit(id, { judge: (now) => judge(now, user.id, hash, link.email, canSend) })
    yield* wakeMail
    return page
  })
  return yield* Effect.catchTag(confirm, "ApiError", (fault) =>
    Effect.succeed(confirmPage(realm, user, link.email, fault)),
  )
})

export const addressPage = { prefix: linkPages.email, run }
