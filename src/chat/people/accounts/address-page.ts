/**
 * The page behind the link by which somebody shows that an address is theirs. Looking at it changes nothing, because programs that
 * check mails open links, too; its button does. The rules are asked again: the address may have been taken meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiError } from "../../../api/errors.ts"
import type { Page, PageRequest } from "../../../api/web-page.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judged } from "../../../events/command.ts"
import type { UserId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"
import { accountLinkHash, linkPages } from "../account-links/account-link.ts"
import { linkUsed } from "../account-links/account-link-kinds.ts"
import { findAccountLink } from "../account-links/account-link-store.ts"
import { showForm } from "../account-links/form.ts"
import { addressSteps, readAddress, requireFree, requireOwnChange } from "../users/new-address.ts"
import { gonePage } from "./gone-page.ts"

const confirmPage = (realm: Realm, { full_name }: UserRecord, email: string, fault?: ApiError): Page => ({
  status: fault === undefined ? 200 : fault.status,
  title: `Your new address in ${escapeHtml(realm.settings.name)}`,
  body: showForm(
    [`<p>${escapeHtml(full_name)}, your address there will be <strong>${escapeHtml(email)}</strong>.</p>`],
    "Confirm",
    fault,
  ),
})

const donePage = (email: string): Page => ({
  status: 200,
  title: "Your address is changed",
  body: `<p>It is <strong>${escapeHtml(email)}</strong> now. Sign in with it from now on.</p>`,
})

const judge = (realm: Realm, id: UserId, hash: string, email: string, canSend: boolean): Judgement<Page> => {
  const user = realm.users.get(id)
  if (user === undefined || !realm.isActive(id) || realm.isDeactivated) return done(gonePage)
  const checked = Result.gen(function* () {
    yield* requireOwnChange(realm, user)
    yield* readAddress(realm, email)
    yield* requireFree(realm, user, email)
  })
  return judged(checked, () =>
    change<Page>([linkUsed(id, "email", hash), ...addressSteps(realm, user, email, canSend)], {
      answer: () => donePage(email),
      refused: { gone: done(gonePage) },
    }),
  )
}

const run = Effect.fnUntraced(function* ({ realm: id, name, form }: PageRequest) {
  if (id === null) return gonePage
  const { realm } = yield* (yield* Realms).get(id)
  const hash = accountLinkHash(name)
  const link = yield* findAccountLink(id, "email", hash)
  const user = link === null ? undefined : realm.users.get(link.user_id)
  if (link === null || user === undefined || !realm.isActive(user.id) || realm.isDeactivated) return gonePage
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
