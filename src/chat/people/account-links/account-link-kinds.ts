/**
 * Rows about links that are mailed to a user, and about their address. No client gets them: of a new address clients are told
 * by rows that say who may see it (setting-rows.ts).
 */
import * as Schema from "effect/Schema"
import { toServers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents } from "../../ground/kinds/event-kind-helpers.ts"
import { presences } from "../../ground/presences/presences.ts"
import { fold } from "../../ground/realm/domain-values.ts"

const linkPurposes = ["password", "email"] as const
/** What a link is for: to choose another password, or to show that a new address is the user's. */
export type LinkPurpose = (typeof linkPurposes)[number]

/** How long a link works. Its row stays as long: the mails of that time are counted by it. */
export const linkLifetimeMilliseconds = 24 * 3600_000

/** Links mailed to one user for one purpose, and to one address, in that time: who gets them may not have asked. */
const mostForUser = 5
const mostToAddress = 3

const userField = { user_id: idSchemas.user }

export const accountLinkKind = eventKind({
  type: "account_link",
  payload: Schema.Union([
    Schema.Struct({ op: Schema.Literals(["make", "use"]), ...userField, purpose: Schema.Literals(linkPurposes) }),
    /** All links of the user. */
    Schema.Struct({ op: Schema.Literal("end"), ...userField }),
  ]),
  changesRules: false,
  applyFunction: "apply_account_link_v1",
  events: {},
  wire: () => noEvents,
})

interface MadeLink {
  readonly user: UserId
  readonly purpose: LinkPurpose
  readonly hash: string
  /** Where it is mailed. */
  readonly email: string
}

/** Must be the first step of its command: refuses with `often` where the user or the address got enough of them. */
export const accountLinkMadeRow = ({ user, purpose, hash, email }: MadeLink): NewRow =>
  accountLinkKind.change({ op: "make", user_id: user, purpose }, toServers, {
    sideData: {
      link_hash: hash,
      email,
      email_folded: fold(email),
      milliseconds: linkLifetimeMilliseconds,
      for_user: mostForUser,
      to_address: mostToAddress,
    },
  })

/** Must be the first step of its command: refuses with `gone` where the link does not work (any more). */
export const accountLinkUsedRow = (user: UserId, purpose: LinkPurpose, hash: string): NewRow =>
  accountLinkKind.change({ op: "use", user_id: user, purpose }, toServers, { sideData: { link_hash: hash } })

export const accountLinksEndedRow = (user: UserId): NewRow =>
  accountLinkKind.change({ op: "end", user_id: user }, toServers)

/** The address by which a user signs in, and where mail finds them. Their links end: they were sent to the one before. */
export const accountEmailKind = eventKind({
  type: "account_email",
  payload: Schema.Struct({ ...userField, email: Schema.String }),
  changesRules: true,
  applyFunction: "apply_account_email_v1",
  derive: ({ email }) => ({ email_folded: fold(email) }),
  applyToProjection: (realm, { user_id, email }) => {
    const user = realm.users.get(user_id)
    if (user !== undefined) realm.setUser({ ...user, email })
    // Older lists of presences have people by their addresses.
    realm.part(presences).lists.rewrite(user_id)
  },
  events: {},
  wire: () => noEvents,
})
