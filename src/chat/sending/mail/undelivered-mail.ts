/** Tells whoever has asked for a mail that it could not be delivered: they would wait for an answer to it. */
import * as Effect from "effect/Effect"
import { change, done } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { asCode } from "../notices/names-in-notices.ts"
import { noticeSteps } from "../notices/notices.ts"
import { oneLine } from "./mail-headers.ts"
import type { StoredMail } from "./stored-mail.ts"

const longestReason = 300

/** What the mail server says of this server is for its operator: only what it refuses of the mail is told. */
const noticeText = ({ to, subject }: StoredMail, refusal: string | null): string => {
  const why = refusal === null ? "no mail server has taken it." : asCode(oneLine(refusal, longestReason))
  return `The mail ${asCode(subject)} to ${asCode(to.address)} could not be delivered: ${why}`
}

export const tellUndelivered = Effect.fnUntraced(function* (
  realm: RealmId,
  mail: StoredMail,
  user: UserId,
  refusal: string | null,
) {
  yield* (yield* Realms).submit(realm, {
    judge: (now) => {
      const record = now.users.get(user)
      if (record === undefined || now.isDeactivated || !now.isActive(user)) return done(undefined)
      return change(noticeSteps(now, [{ user: record, content: noticeText(mail, refusal) }]))
    },
  })
})
