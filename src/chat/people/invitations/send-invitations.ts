/**
 * POST /invites (spec 10, contract 2.10): invites people by mail. What is wrong with the offer refuses all; addresses that cannot
 * be invited are skipped and told, and the others are sent. All are judged at once, and counted for the limit of the day; then
 * they are made in commits of some tens, each with the mails of its invitations.
 */
import * as Effect from "effect/Effect"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, invitationFailed } from "../../../api/errors.ts"
import { boolean, text, withDefault } from "../../../api/params.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import { forEachInSlices } from "../../../slices.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { addMail, canSendMail, type Mail, wakeMail } from "../../sending/mail/mail.ts"
import { type NewInvitationLink, newInvitationLink } from "./invitation-link.ts"
import { invitationMail } from "./invitation-mail.ts"
import { channelIds, expiry, offerFields, offerParams } from "./invitation-params.ts"
import { type InvitationOffer, requireOffer } from "./invitation-rules.ts"
import { isInvitable, longestInvitees, readInvitees, type SkippedInvitee, skippedFor } from "./invitees.ts"
import { invitesChanged } from "./invites-changed-event.ts"
import { findOftenMailed, mailLimits, oftenMailed, overLimits } from "./mail-limits.ts"

/** Invitations of one commit: each has a mail of 3 KB. */
const chunk = 40
/** Open invitations by mail of an organization. */
const mostOpen = 5000

/** Where nothing can be mailed no invitation is kept, because nobody would get it. */
export const noMail = badRequest("This server cannot send mail, so it cannot send invitations")

/** An address with what was made for it. */
interface PreparedInvitation {
  readonly address: string
  readonly link: NewInvitationLink
  readonly mail: Mail
}

interface InvitationRequest {
  readonly offer: InvitationOffer
  /** null: they never expire. */
  readonly minutes: number | null
  readonly notifies: boolean
  readonly perDay: number
  /** Folded addresses that are to get no more today. */
  readonly often: ReadonlySet<string>
}

interface JudgedInvitees {
  readonly skipped: ReadonlyArray<SkippedInvitee>
  readonly left: ReadonlyArray<PreparedInvitation>
}

/** `isFirst`: all are counted by it. */
const judgeInvitations = (
  realm: Realm,
  actor: UserRecord,
  wish: InvitationRequest,
  letters: ReadonlyArray<PreparedInvitation>,
  skippedBefore: ReadonlyArray<SkippedInvitee>,
  isFirst: boolean,
): Judgement<JudgedInvitees> =>
  judgementOf(requireOffer(realm, actor, "mail", wish.offer), (): Judgement<JudgedInvitees> => {
    const skipped = [...skippedBefore]
    const sent: Array<PreparedInvitation> = []
    for (const letter of letters) {
      const { address } = letter
      const why = skippedFor(realm, address) ?? (wish.often.has(fold(address)) ? oftenMailed(address) : undefined)
      if (why === undefined) sent.push(letter)
      else skipped.push(why)
    }
    if (sent.length === 0 && !isFirst) return done({ skipped, left: [] })
    if (sent.length === 0) return refused(invitationFailed("We weren't able to invite anyone.", { errors: skipped }))
    const now = sent.slice(0, chunk)
    const row = invitesChanged(
      realm,
      actor.id,
      { op: "make" },
      {
        is_link: false,
        many: isFirst ? sent.length : 0,
        most: mostOpen,
        limits: mailLimits(actor, wish.perDay),
        fields: { ...offerFields(wish.offer), inviter_id: actor.id, notifies: wish.notifies, minutes: wish.minutes },
        each: now.map(({ address, link: { seed, link_hash } }) => ({
          email: address,
          email_folded: fold(address),
          seed,
          link_hash,
        })),
      },
    )
    return change<JudgedInvitees>([row, addMail(...now.map(({ mail }) => mail))], {
      answer: () => ({ skipped, left: sent.slice(chunk) }),
      refused: {
        ...overLimits,
        full: refused(badRequest("This organization has too many open invitations: revoke some of them first")),
      },
    })
  })

/** Makes link and mail of each address, in slices. */
const writeLetters = Effect.fnUntraced(function* (
  caller: Caller,
  addresses: ReadonlyArray<string>,
  about: { readonly inviter: string; readonly organization: string; readonly expiresAt: number | null },
) {
  const { secret } = yield* Config
  const letters: Array<PreparedInvitation> = []
  yield* forEachInSlices(addresses, (address) => {
    const link = newInvitationLink(secret, caller.realm, caller.origin)
    letters.push({ address, link, mail: invitationMail({ ...about, address, askedBy: caller.user, link: link.link }) })
  })
  return letters
})

const send = Effect.fnUntraced(function* (
  caller: Caller,
  wish: InvitationRequest,
  letters: ReadonlyArray<PreparedInvitation>,
  invalid: ReadonlyArray<SkippedInvitee>,
) {
  const submit = (part: ReadonlyArray<PreparedInvitation>, skipped: ReadonlyArray<SkippedInvitee>, isFirst: boolean) =>
    Effect.tap(
      submitAs(caller, (realm, actor) => judgeInvitations(realm, actor, wish, part, skipped, isFirst)),
      () => wakeMail,
    )
  let state = yield* submit(letters, invalid, true)
  while (state.left.length > 0) state = yield* submit(state.left, state.skipped, false)
  return state.skipped
})

export const postInvites = userEndpoint({
  method: "POST",
  path: "/invites",
  fresh: "onRefusal",
  summary: "Invites people to the organization by mail.",
  params: {
    emails: text("invitee_emails", { max: longestInvitees }),
    channels: channelIds,
    expiry,
    notifies: withDefault(boolean("notify_referrer_on_join"), true),
    ...offerParams,
  },
  reply: noFields,
  errors: ["INVITATION_FAILED", "UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { emails, expiry, notifies, ...offer } }) {
    const config = yield* Config
    const { realm, user } = yield* requireAccount(caller)
    // Judged again with each commit; here it saves the work for what will be refused.
    yield* Effect.fromResult(requireOffer(realm, user, "mail", offer))
    if (!canSendMail(config)) return yield* noMail
    const addresses = yield* Effect.fromResult(readInvitees(emails))
    const { invitationLinkValidityMinutes, invitationsPerDay } = config.limits
    const minutes = expiry === undefined ? invitationLinkValidityMinutes : expiry
    const expiresAt = minutes === null ? null : (yield* Clock).now() + minutes * 60_000
    const about = { inviter: user.full_name, organization: realm.settings.name, expiresAt }
    const invitable = addresses.filter(isInvitable)
    const often = yield* findOftenMailed(caller.realm, invitable)
    const letters = yield* writeLetters(caller, invitable, about)
    const invalid = addresses
      .filter((address) => !isInvitable(address))
      .map((address): SkippedInvitee => [address, "Invalid address.", false])
    const wish: InvitationRequest = { offer, minutes, notifies, perDay: invitationsPerDay, often }
    const skipped = yield* send(caller, wish, letters, invalid)
    if (skipped.length === 0) return dataReply()
    return yield* invitationFailed(
      "Some of those addresses could not be invited. The others were sent an invitation.",
      { errors: skipped, sent: true },
    )
  }),
})
