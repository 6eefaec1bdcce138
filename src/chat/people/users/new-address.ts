/**
 * Another address of an account. Who wants one for themselves shows that it is theirs, by a link that is mailed there
 * (PATCH /settings); an administrator just says so (PATCH /users/{user_id}).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { toServers } from "../../../events/audience.ts"
import type { CommandStep } from "../../../events/step.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import { mayKnow } from "../../ground/realm/acquaintance/acquaintance.ts"
import { maySeeAddress } from "../../ground/realm/email-addresses.ts"
import { addressFault } from "../../ground/realm/email-domains.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { readEmail } from "../../ground/requester/read-names.ts"
import { addMail, canSendMail } from "../../sending/mail/mail.ts"
import { isMailAddress } from "../../sending/mail/mail-headers.ts"
import { type AccountLink, newAccountLink } from "../account-links/account-link.ts"
import { accountEmailKind, accountLinkMadeRow } from "../account-links/account-link-kinds.ts"
import { addressChangedMail, addressTakenMail, newAddressMail } from "../account-links/account-mails.ts"
import { addressInUse, addressNotAllowed, isReservedAddress } from "./new-user.ts"
import { addressRows } from "./setting-rows.ts"

export const botsKeepTheirs = badRequest("The address of a bot cannot be changed")

const noMailForAddress = badRequest("This server cannot send mail, so it cannot find out whose an address is")

export const mailedOften = badRequest("So many mails about this were sent within a day that no more are: try tomorrow")

/** An address that an account can have, whosever it is. */
export const readAddress = (realm: Realm, raw: string): Checked<string> =>
  Result.flatMap(readEmail(raw), (email) => {
    if (!isMailAddress(email)) return Result.fail(badRequest("Enter a valid email address."))
    if (isReservedAddress(realm, email)) return Result.fail(addressNotAllowed(email))
    const fault = addressFault(realm, email)
    return fault === undefined ? Result.succeed(email) : Result.fail(addressNotAllowed(email, fault))
  })

/** Whoever has the address, if that is not the user. */
const holderOf = (realm: Realm, user: UserRecord, email: string): UserRecord | undefined => {
  const holder = realm.findUserByEmail(email)
  return holder?.id === user.id ? undefined : holder
}

/** Whether users may give themselves another address; administrators always may. */
export const requireOwnChange = ({ settings }: Realm, user: UserRecord): Checked<void> =>
  settings.email_changes_disabled && !isAdministrator(user)
    ? Result.fail(badRequest("Email address changes are disabled in this organization."))
    : Result.void

export const requireFree = (realm: Realm, user: UserRecord, email: string): Checked<void> =>
  holderOf(realm, user, email) === undefined ? Result.void : Result.fail(addressInUse(email))

/** A link by which a user shows that an address is theirs. */
interface AddressRequest {
  readonly email: string
  readonly link: AccountLink
}

/** An address that differs from the present one, with its link; null: there is none. It is judged again in the command. */
export const prepareAddress = Effect.fnUntraced(function* (
  { origin }: Caller,
  realm: Realm,
  user: UserRecord,
  raw: string,
) {
  if (raw === "" || raw.trim() === user.email) return null
  if (user.is_bot) return yield* botsKeepTheirs
  yield* Effect.fromResult(requireOwnChange(realm, user))
  const email = yield* Effect.fromResult(readAddress(realm, raw))
  if (!canSendMail(yield* Config)) return yield* noMailForAddress
  const wish: AddressRequest = { email, link: newAccountLink("email", origin) }
  return wish
})

/**
 * The steps that ask an address whether it is the user's; the first one may refuse with `often`. One that somebody has whose
 * address the user may not see is treated as any other, and gets a mail without a link, or all hidden addresses could be guessed.
 */
export const askSteps = (
  realm: Realm,
  user: UserRecord,
  { email, link }: AddressRequest,
): Checked<ReadonlyArray<CommandStep>> =>
  Result.gen(function* () {
    yield* requireOwnChange(realm, user)
    const holder = holderOf(realm, user, yield* readAddress(realm, email))
    if (holder !== undefined && maySeeAddress(user, holder) && mayKnow(realm, user, holder))
      return yield* Result.fail(addressInUse(email))
    const about = { organization: realm.settings.name, name: user.full_name, address: email }
    return [
      accountLinkMadeRow({ user: user.id, purpose: "email", hash: link.hash, email }),
      addMail(holder === undefined ? newAddressMail(about, link.url) : addressTakenMail(about)),
    ]
  })

/** The steps that change it, and tell who sees it; and the address before, where mail can be sent. */
export const addressSteps = (
  realm: Realm,
  user: UserRecord,
  email: string,
  canSend: boolean,
): ReadonlyArray<CommandStep> => {
  const about = { organization: realm.settings.name, name: user.full_name, address: user.email }
  return [
    accountEmailKind.change({ user_id: user.id, email }, toServers),
    ...addressRows(realm, user, { ...user, email }),
    ...(canSend ? [addMail(addressChangedMail(about, email))] : []),
  ]
}
