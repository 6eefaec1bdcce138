/**
 * The mail with the link by which somebody makes an organization. Who gets it may not have asked, so nothing is in it that whoever
 * did has written, but for the host, which is letters and hyphens.
 */
import type { Mail } from "../../sending/mail/mail.ts"
import { mailParts } from "../../sending/mail/mail-parts.ts"

export const signUpMail = (address: string, host: string, link: string): Mail => ({
  to: { name: "", address },
  subject: "Confirm your address to make an organization",
  ...mailParts({
    paragraphs: [
      `Somebody wants to make an organization at ${host}, and to be its owner with this address.`,
      "The link works once, and for a day. Behind it the organization is made.",
    ],
    button: { label: "Make the organization", url: link },
    footer: "If that was not you, do nothing: nothing is made without this link.",
  }),
})
