/** The settings of mail, and how they belong together. Part of settings.ts; read-settings.ts reads them. */
import { domainToASCII } from "node:url"
import type { MailServer } from "./config.ts"
import { isHost, oneOfWords, setting } from "./setting.ts"

/**
 * An address that no header or command can be broken by: no space, quote, comma or bracket, and a host after the @, which is
 * taken in its form for machines (`xn--`). Undefined for any other.
 */
const plainAddress = (text: string): string | undefined => {
  const [local = "", written = "", surplus] = text.split("@")
  const host = /[^\0-\x7f]/.test(written) ? domainToASCII(written) : written
  const isPlain =
    surplus === undefined && local.length <= 64 && /^[\w.!#$%&'*+/=?^`{|}~-]+$/.test(local) && isHost(host)
  return isPlain ? `${local}@${host}` : undefined
}

const securities: ReadonlyArray<MailServer["security"]> = ["starttls", "tls", "none"]

export const mailSettings = {
  smtpHost: setting<string>("PARLEY_SMTP_HOST", "smtp-host", {
    placeholder: "host",
    help: "Mail server that takes the mails of this server, such as invitations. Without it nothing is mailed; development mode shows mails at /outbox instead.",
    defaultText: "none",
    expected: "an IP address or a host name",
    read: (text) => (isHost(text) ? text : undefined),
  }),
  smtpPort: setting<number>("PARLEY_SMTP_PORT", "smtp-port", {
    placeholder: "number",
    help: "Its port.",
    defaultText: "587, with tls 465, with none 25",
    expected: "a whole number from 1 to 65535",
    read: (text) => (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  }),
  smtpSecurity: setting<MailServer["security"]>("PARLEY_SMTP_SECURITY", "smtp-security", {
    ...oneOfWords(securities),
    help: "How the connection to it is encrypted: by STARTTLS before anything is said, by TLS from its beginning, or not at all, for a mail server on this machine. Its certificate is checked; NODE_EXTRA_CA_CERTS names further authorities.",
    defaultText: "starttls",
  }),
  smtpUser: setting<string>("PARLEY_SMTP_USER", "smtp-user", {
    placeholder: "name",
    help: "The name to sign in to it by.",
    defaultText: "none: without signing in",
    expected: "a text",
    read: (text) => text,
  }),
  smtpPassword: setting<string>("PARLEY_SMTP_PASSWORD", "smtp-password", {
    placeholder: "text",
    help: "The password to sign in to it by. As a flag it shows in the process list: prefer the variable.",
    defaultText: "none",
    expected: "a text",
    isSecret: true,
    read: (text) => text,
  }),
  mailFrom: setting<string>("PARLEY_MAIL_FROM", "mail-from", {
    placeholder: "address",
    help: "The address that mails are from, and that mail servers return them to.",
    defaultText: "none: needed with a mail server",
    expected: "an address like parley@example.org",
    read: (text) => plainAddress(text),
  }),
  mailFromName: setting<string>("PARLEY_MAIL_FROM_NAME", "mail-from-name", {
    placeholder: "text",
    help: "The name that mails are from.",
    defaultText: "Parley",
    expected: "at most 100 printable characters",
    read: (text) => (text.length <= 100 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) ? text : undefined),
  }),
} as const

const usualPorts = { starttls: 587, tls: 465, none: 25 } as const

/** What was given of them; null where nothing was. */
export interface GivenMail {
  readonly smtpHost: string | null
  readonly smtpPort: number | null
  readonly smtpSecurity: MailServer["security"] | null
  readonly smtpUser: string | null
  readonly smtpPassword: string | null
  readonly mailFrom: string | null
  readonly mailFromName: string | null
}

/** The mail server of an operator, null where none is named; or what is wrong with the settings together, in one line. */
export const readMailServer = (given: GivenMail): MailServer | null | string => {
  const { smtpHost: host, smtpUser: user, smtpPassword: password, mailFrom } = given
  if (host === null) {
    const [stray] = mailNames.filter((name) => given[name] !== null)
    return stray === undefined ? null : `${mailSettings[stray].env} needs ${mailSettings.smtpHost.env}`
  }
  if (mailFrom === null)
    return `${mailSettings.mailFrom.env} is needed with ${mailSettings.smtpHost.env}: expected ${mailSettings.mailFrom.expected}`
  if ((user === null) !== (password === null))
    return `${mailSettings.smtpUser.env} and ${mailSettings.smtpPassword.env} belong together`
  const security = given.smtpSecurity ?? "starttls"
  const port = given.smtpPort ?? usualPorts[security]
  return { host, port, user, password, security, from: { name: given.mailFromName ?? "Parley", address: mailFrom } }
}

const isMailName = (name: string): name is keyof GivenMail => Object.hasOwn(mailSettings, name)
const mailNames: ReadonlyArray<keyof GivenMail> = Object.keys(mailSettings).filter(isMailName)
