/**
 * Hands a mail over to the mail server by SMTP: one connection and one recipient each. The library (nodemailer) is loaded
 * when the first mail is sent. Used by mail.ts.
 */
import { domainToASCII } from "node:url"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Unavailable } from "../../../api/errors.ts"
import type { MailServer } from "../../../config/config.ts"
import { GiveUp } from "../../../jobs/outbox/outbox-entry.ts"
import { isMailAddress, oneLine, withoutEncoded } from "./mail-headers.ts"
import type { StoredMail } from "./stored-mail.ts"

/** Of a connection, by the machine's time. An attempt as a whole is bounded by the outbox. */
const connectMilliseconds = 15_000
const silentMilliseconds = 30_000
const longestReply = 64 * 1024
/** Of what the log says of a failure, in characters. */
const longestReason = 300

const optionsOf = ({ host, port, user, password, security, from }: MailServer) => ({
  host,
  port,
  secure: security === "tls",
  requireTLS: security === "starttls",
  ignoreTLS: security === "none",
  // Else a server that offers no sign-in would be given the mail without one.
  ...(user === null ? {} : { auth: { user, pass: password ?? "" }, forceAuth: true }),
  name: from.address.slice(from.address.lastIndexOf("@") + 1),
  connectionTimeout: connectMilliseconds,
  greetingTimeout: connectMilliseconds,
  dnsTimeout: connectMilliseconds,
  socketTimeout: silentMilliseconds,
  maxResponseSize: longestReply,
  disableFileAccess: true,
  disableUrlAccess: true,
})

const messageOf = ({ from }: MailServer, { to, subject, text, html, message_id }: StoredMail, signal: AbortSignal) => {
  const host = from.address.slice(from.address.lastIndexOf("@") + 1)
  return {
    from,
    envelope: { from: from.address, to: [to.address] },
    to: { ...to, name: withoutEncoded(to.name) },
    subject: withoutEncoded(subject),
    messageId: `<${message_id}@${host}>`,
    // No answers by machines that are away, and none to this server.
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    text,
    html,
    signal,
  }
}

/** What an error of the library says; `code` names the step that failed. */
interface Failure {
  readonly code?: unknown
  readonly command?: unknown
  readonly responseCode?: unknown
  readonly permanent?: unknown
  readonly message?: unknown
}

/** The mail server takes mails, but not this one now. */
export class MailPostponed extends Data.TaggedError("Postponed")<{ readonly reason: string }> {}

/**
 * What the mail server refuses of the recipient or the text for good is final. What it refuses of this server (its sign-in,
 * its sender) an operator can put right, so that is tried again.
 */
const failureOf = (error: unknown): GiveUp | MailPostponed | Unavailable => {
  const { code, command, responseCode, permanent, message }: Failure =
    typeof error === "object" && error !== null ? error : {}
  const reason = oneLine(String(message ?? error), longestReason)
  if ((code !== "EENVELOPE" && code !== "EMESSAGE") || command === "MAIL FROM") return new Unavailable({ reason })
  // Without an answer of the server it is the library that refuses.
  return responseCode === undefined || permanent === true ? new GiveUp({ reason }) : new MailPostponed({ reason })
}

/** Whether only servers with SMTPUTF8 (RFC 6531) may be told the address. A domain has another form, a name has none. */
const isInternational = (address: string): boolean => {
  const at = address.lastIndexOf("@")
  return /[^\0-\x7f]/.test(address.slice(0, at)) || domainToASCII(address.slice(at + 1)) === ""
}

/** Asks the server by a connection of its own: the library would hand the mail over to any. */
const takesInternational = async (server: MailServer, signal: AbortSignal): Promise<boolean> => {
  const { default: Connection } = await import("nodemailer/lib/smtp-connection")
  const connection = new Connection(optionsOf(server))
  try {
    return await new Promise<boolean>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("it took too long")), { once: true })
      connection.on("error", reject)
      connection.connect((error) =>
        error ? reject(error) : resolve(/^\d+[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse))),
      )
    })
  } finally {
    connection.close()
  }
}

const noInternational = "letters other than a to z before the @ need SMTPUTF8, which the mail server does not offer"

/** Whether the mail was handed over; false: the server must not be told its address. */
const handOver = async (server: MailServer, mail: StoredMail, signal: AbortSignal): Promise<boolean> => {
  if (isInternational(mail.to.address) && !(await takesInternational(server, signal))) return false
  const { createTransport } = await import("nodemailer")
  await createTransport(optionsOf(server)).sendMail(messageOf(server, mail, signal))
  return true
}

export const deliver = (
  server: MailServer,
  mail: StoredMail,
): Effect.Effect<void, GiveUp | MailPostponed | Unavailable> =>
  isMailAddress(mail.to.address)
    ? Effect.tryPromise({ try: (signal) => handOver(server, mail, signal), catch: failureOf }).pipe(
        Effect.flatMap((isDone) => (isDone ? Effect.void : Effect.fail(new GiveUp({ reason: noInternational })))),
      )
    : Effect.fail(new GiveUp({ reason: "this is no address that mail can be sent to" }))
