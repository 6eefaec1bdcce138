/**
 * Mail to people: a row of the outbox, added in the commit that wants it, and sent beside that, at least once, for a day. Each
 * mail has one recipient, and a Message-ID that stays the same over all attempts, by which a doubled delivery is recognised.
 *
 *   change([row, addMail(mail)]), and `wakeMail` when it is committed
 */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { badRequest, Unavailable } from "../../../api/errors.ts"
import { storable } from "../../../api/shapes.ts"
import { Clock } from "../../../clock.ts"
import { Config, type ConfigShape } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import type { UserId } from "../../../ids.ts"
import { outboxKind } from "../../../jobs/outbox/outbox-kind.ts"
import { keepMail } from "./kept-mail-store.ts"
import { headerName, headerSubject, longestAddress } from "./mail-headers.ts"
import { MailLog } from "./mail-log.ts"
import { deliver } from "./smtp.ts"
import { StoredMail } from "./stored-mail.ts"
import { tellUndelivered } from "./undelivered-mail.ts"

/** `text` and `html` say the same: see mail-parts.ts. */
export interface Mail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Who has asked for it, and is told if it cannot be delivered. */
  readonly askedBy?: UserId
}

/**
 * Whether this server can send mail: in production only where an operator has named a server for it. In development mode
 * without one, mails are kept for the page that shows them.
 */
export const canSendMail = ({ mode, mail }: Pick<ConfigShape, "mode" | "mail">): boolean =>
  mode === "development" || mail !== null

/** The longest attempt, by the test clock; the socket's own limits end what no clock does. */
const patienceMilliseconds = 60_000

/** In production without a mail server: mails that were added while there was one. */
const unnamed = new Unavailable({ reason: "no mail server is named" })

const send = Effect.fnUntraced(function* (mail: StoredMail) {
  const { mode, mail: server } = yield* Config
  if (server === null && mode === "development") return yield* keepMail(yield* Database, mail, (yield* Clock).now())
  const log = yield* MailLog
  yield* Effect.tapError(server === null ? Effect.fail(unnamed) : deliver(server, mail), (failure) =>
    failure._tag === "Unavailable" ? log.failed(failure.reason) : Effect.void,
  )
  yield* log.worked
})

const mailKind = outboxKind({
  name: "mail",
  payload: StoredMail,
  run: ({ payload }) => send(payload),
  title: ({ to, subject }) => `${JSON.stringify(subject)} to ${JSON.stringify(to.address)}`,
  whenGivenUp: (realm, mail, refusal) =>
    mail.asked_by === undefined ? Effect.void : tellUndelivered(realm, mail, mail.asked_by, refusal),
  concurrency: 4,
  isOverall: true,
  patienceMilliseconds,
  mostAttempts: 40,
  backOff: { firstMilliseconds: 30_000, longestMilliseconds: 3600_000 },
  deadlineMilliseconds: 24 * 3600_000,
})

/** Its headers are what the mail server will be told. An address that none can be told is given up when it is to be sent. */
const stored = ({ to, subject, text, html, askedBy }: Mail): StoredMail => ({
  to: { name: headerName(to.name), address: storable(to.address).slice(0, longestAddress + 1) },
  subject: headerSubject(subject),
  text: storable(text),
  html: storable(html),
  message_id: randomUUID(),
  ...(askedBy === undefined ? {} : { asked_by: askedBy }),
})

/** The step that has mails sent when the command is committed. `wakeMail` has it happen at once. */
export const addMail = (...mails: ReadonlyArray<Mail>) =>
  mailKind.adding(mails.map((mail) => ({ payload: stored(mail) })))

/** The payload of its row, for SQL that adds one beside the commits of an organization. */
export const mailPayload = (mail: Mail): object => mailKind.encode(stored(mail))

export const wakeMail = mailKind.wake
export const mailJob = mailKind.job

/** An attempt that somebody waits for, by the machine's time. */
const testMilliseconds = 30_000
const untaken = new Unavailable({ reason: `it took more than ${testMilliseconds / 1000} s` })

/**
 * Hands a mail over at once, not by the outbox: for an operator who wants to see whether mails get through. Answers where it went;
 * fails with what the mail server, or the way to it, says.
 */
export const sendAtOnce = Effect.fnUntraced(function* (mail: Mail) {
  const { mode, mail: server } = yield* Config
  if (server === null) {
    if (mode === "production") return yield* badRequest("No mail server is named: set PARLEY_SMTP_HOST and its like")
    yield* keepMail(yield* Database, stored(mail), (yield* Clock).now())
    return { server: null }
  }
  const name = `${server.host}:${server.port}`
  const late = { duration: testMilliseconds, orElse: () => Effect.fail(untaken) }
  yield* deliver(server, stored(mail)).pipe(
    Effect.timeoutOrElse(late),
    Effect.mapError(({ reason }) => badRequest(`The mail server ${name} has not taken the mail: ${reason}`)),
  )
  return { server: name }
})
