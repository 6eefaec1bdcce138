/** The mail that carries an invitation. Names in it are of people, and text. */
import type { UserId } from "../../../ids.ts"
import { isoTime } from "../../ground/realm/domain-values.ts"
import type { Mail } from "../../sending/mail/mail.ts"
import { mailParts } from "../../sending/mail/mail-parts.ts"

export interface InvitationLetter {
  readonly address: string
  /** Who is told if it cannot be delivered. */
  readonly askedBy: UserId
  readonly inviter: string
  readonly organization: string
  readonly link: string
  /** Milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
}

export const invitationMail = ({
  address,
  askedBy,
  inviter,
  organization,
  link,
  expiresAt,
}: InvitationLetter): Mail => {
  const until =
    expiresAt === null ? "" : ` It can be accepted until ${isoTime(expiresAt).slice(0, 16).replace("T", " ")} UTC.`
  return {
    to: { name: "", address },
    askedBy,
    subject: `${inviter} has invited you to join ${organization}`,
    ...mailParts({
      paragraphs: [
        `${inviter} wants you to join them in ${organization}, where people talk in channels and topics.`,
        `This invitation is for ${address}, and works once.${until}`,
      ],
      button: { label: "Accept the invitation", url: link },
      footer: `You get this mail because ${inviter} has entered your address. If you do not know them, do nothing.`,
    }),
  }
}
