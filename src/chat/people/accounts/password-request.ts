/**
 * Somebody has asked for another password for an address. Whether an account has it is looked up beside the answer, by the
 * outbox: so the answer, and the time that it takes, are the same for all addresses.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import { outboxKind } from "../../../jobs/outbox/outbox-kind.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { addMail, canSendMail, wakeMail } from "../../sending/mail/mail.ts"
import { isMailAddress } from "../../sending/mail/mail-headers.ts"
import { newAccountLink } from "../account-links/account-link.ts"
import { accountLinkMadeRow } from "../account-links/account-link-kinds.ts"
import { passwordMail } from "../account-links/account-mails.ts"

/** Whether somebody can have a password here. */
export const hasPasswords = ({ isDeactivated, settings }: Realm): boolean =>
  !isDeactivated && settings.password_auth_enabled

/** Whether the account is of somebody who can choose a password. */
export const mayChoose = (realm: Realm, user: UserRecord | undefined): user is UserRecord =>
  hasPasswords(realm) && user !== undefined && !user.is_bot && realm.isActive(user.id)

const judge = (realm: Realm, email: string, origin: string): Judgement<boolean> => {
  const user = realm.findUserByEmail(email)
  if (!mayChoose(realm, user) || !isMailAddress(user.email)) return done(false)
  const link = newAccountLink("password", origin)
  const about = { organization: realm.settings.name, name: user.full_name, address: user.email }
  return change(
    [
      accountLinkMadeRow({ user: user.id, purpose: "password", hash: link.hash, email: user.email }),
      addMail(passwordMail(about, link.url)),
    ],
    { answer: () => true, refused: { often: done(false) } },
  )
}

export const passwordRequestKind = outboxKind({
  name: "another password",
  payload: Schema.Struct({ email: Schema.String, origin: Schema.String }),
  run: Effect.fnUntraced(function* ({ realm, payload: { email, origin } }) {
    if (!canSendMail(yield* Config)) return
    const realms = yield* Realms
    if (yield* realms.submit(realm, { judge: (now) => judge(now, email, origin) })) yield* wakeMail
  }),
  deadlineMilliseconds: 3600_000,
})
