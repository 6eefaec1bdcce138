/** The mails about an account. Names in them are of people, and text. */
import type { Mail } from "../../sending/mail/mail.ts"
import { mailParts } from "../../sending/mail/mail-parts.ts"

interface MailRecipient {
  readonly organization: string
  /** Whom it is to. */
  readonly name: string
  readonly address: string
}

const to = ({ name, address }: MailRecipient): Mail["to"] => ({ name, address })
const ignore = "If that was not you, do nothing: nothing changes without this link."

export const passwordMail = (about: MailRecipient, link: string): Mail => ({
  to: to(about),
  subject: `Another password for ${about.organization}`,
  ...mailParts({
    paragraphs: [
      `Somebody has asked for another password for your account in ${about.organization}.`,
      "The link works once, and for a day.",
    ],
    button: { label: "Choose a password", url: link },
    footer: ignore,
  }),
})

export const newAddressMail = (about: MailRecipient, link: string): Mail => ({
  to: to(about),
  subject: `Confirm your new address for ${about.organization}`,
  ...mailParts({
    paragraphs: [
      `${about.name} wants to use this address for their account in ${about.organization}.`,
      "The link works once, and for a day.",
    ],
    button: { label: "Confirm the address", url: link },
    footer: ignore,
  }),
})

/**
 * Sent instead where the address is another account's, and who asks may not know that: they are answered as for any other
 * address.
 */
export const addressTakenMail = (about: MailRecipient): Mail => ({
  to: to(about),
  subject: `Your address in ${about.organization}`,
  ...mailParts({
    paragraphs: [
      `${about.name} wants to use this address for their account in ${about.organization}, but it has an account there already.`,
    ],
    footer: "Nothing has changed.",
  }),
})

/** To the address before. */
export const addressChangedMail = (about: MailRecipient, after: string): Mail => ({
  to: to(about),
  subject: `Your address in ${about.organization} has changed`,
  ...mailParts({
    paragraphs: [`The address of your account in ${about.organization} is ${after} from now on.`],
    footer: "If you did not want that, tell an administrator of the organization at once.",
  }),
})

/** `comment`: what the administrator says about it; empty: nothing. */
export const deactivatedMail = (about: MailRecipient, comment: string): Mail => ({
  to: to(about),
  subject: `Your account in ${about.organization} is deactivated`,
  ...mailParts({
    paragraphs: [
      `Your account in ${about.organization} was deactivated, so you cannot sign in there any more.`,
      ...(comment === "" ? [] : ["The administrator who did that says:", comment]),
    ],
  }),
})

/** To whoever has a new account, where the organization wants that. `url`: where clients reach it. */
export const welcomeMail = (about: MailRecipient, url: string): Mail => ({
  to: to(about),
  subject: `Your account in ${about.organization}`,
  ...mailParts({
    paragraphs: [
      `You have an account in ${about.organization} from now on.`,
      `Sign in with the address ${about.address}. Apps for phones and computers ask for the address of the organization: ${url}`,
    ],
    footer: "If you did not want an account, tell an administrator of the organization.",
  }),
})
