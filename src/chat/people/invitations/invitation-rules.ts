/**
 * Who may invite whom to what (contract 2.10): the rules of new invitations, and what is left of them when one is accepted, by
 * the rights that its inviter has then.
 */
import * as Result from "effect/Result"
import { type ApiError, badRequest, botRefused, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import type { ChannelId, GroupId, UserId } from "../../../ids.ts"
import {
  isAdministrator,
  mayAddMembers,
  mayAddSubscribers,
  mayInvite,
  mayInviteAs,
  mayKnowOf,
  mayMakeInviteLink,
  maySubscribeOthers,
} from "../../ground/permissions/permissions.ts"
import { type Role, roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, GroupRecord, UserRecord } from "../../ground/realm/records.ts"
import { joinableDefaults } from "../users/new-user.ts"
import type { Invitation } from "./invitation-store.ts"

/** What an invitation gives to who accepts it. */
export interface InvitationOffer {
  readonly role: Role
  readonly channels: ReadonlyArray<ChannelId>
  readonly groups: ReadonlyArray<GroupId>
  readonly includesDefaults: boolean
  /** null: the organization's; empty: none. */
  readonly welcomeText: string | null
}

const roleRefused = (role: Role): ApiError => {
  if (role === roles.owner) return principalUnauthorized("Must be an organization owner")
  return role === roles.administrator
    ? principalUnauthorized("Must be an organization administrator")
    : badRequest("Must be an organization moderator")
}

export const requireOfferedRole = (actor: UserRecord, role: Role): Checked<void> =>
  mayInviteAs(actor, role) ? Result.void : Result.fail(roleRefused(role))

const noPermission = badRequest("Insufficient permission")

/** Inviting by mail, also once more. */
export const requireMailInviter = (realm: Realm, actor: UserRecord): Checked<void> => {
  if (actor.is_bot) return Result.fail(botRefused())
  return mayInvite(realm, actor) ? Result.void : Result.fail(noPermission)
}

/** Whether new people may be subscribed by somebody who may subscribe others somewhere: default channels are for all. */
const mayOffer = (realm: Realm, actor: UserRecord, channel: ChannelRecord): boolean =>
  channel.is_default || mayAddSubscribers(realm, actor, channel)

const requireChannels = (realm: Realm, actor: UserRecord, ids: ReadonlyArray<ChannelId>): Checked<void> => {
  const channels: Array<ChannelRecord> = []
  for (const id of ids) {
    const channel = realm.channels.get(id)
    if (channel === undefined || channel.is_archived || !mayKnowOf(realm, actor, channel))
      return Result.fail(badRequest(`Invalid channel ID ${id}. No invites were sent.`))
    channels.push(channel)
  }
  const maySubscribe =
    maySubscribeOthers(realm, actor) || channels.some((channel) => mayAddSubscribers(realm, actor, channel))
  return ids.length === 0 || (maySubscribe && channels.every((channel) => mayOffer(realm, actor, channel)))
    ? Result.void
    : Result.fail(badRequest("You do not have permission to subscribe other users to channels."))
}

const requireGroups = (realm: Realm, actor: UserRecord, ids: ReadonlyArray<GroupId>): Checked<void> => {
  for (const id of ids) {
    const group = realm.groups.get(id)
    if (group === undefined) return Result.fail(badRequest(`Invalid user group ID: ${id}`))
    if (!mayAddMembers(realm, actor, group, false)) return Result.fail(noPermission)
    if (group.deactivated) return Result.fail(badRequest("User group is deactivated."))
  }
  return Result.void
}

/** `by`: whether it is mailed, or a link. */
export const requireOffer = (
  realm: Realm,
  actor: UserRecord,
  by: "mail" | "link",
  offer: InvitationOffer,
): Checked<void> =>
  Result.gen(function* () {
    // What a bot has made would be its former owner's once it changes hands.
    if (actor.is_bot) return yield* Result.fail(botRefused())
    if (!(by === "mail" ? mayInvite : mayMakeInviteLink)(realm, actor)) return yield* Result.fail(noPermission)
    yield* requireOfferedRole(actor, offer.role)
    if (offer.welcomeText !== null && !isAdministrator(actor))
      return yield* Result.fail(principalUnauthorized("Must be an organization administrator"))
    yield* requireChannels(realm, actor, offer.channels)
    yield* requireGroups(realm, actor, offer.groups)
  })

/** What a link gives to whoever has it, and who made it. */
interface OfferedLink {
  readonly inviter_id: UserId
  readonly role: Role
  readonly channel_ids: ReadonlyArray<ChannelId>
  readonly group_ids: ReadonlyArray<GroupId>
}

/**
 * Whether a link may be known to a user, who could come by it under another address: to its maker, and to administrators who
 * could give all that it gives by themselves, also what is archived: it may come back. To others it is none: it is neither
 * listed nor revoked.
 */
export const mayKnowLink = (realm: Realm, user: UserRecord, link: OfferedLink): boolean => {
  if (link.inviter_id === user.id) return true
  if (!isAdministrator(user) || !mayInviteAs(user, link.role)) return false
  const channels = link.channel_ids.map((id) => realm.channels.get(id))
  const groups = link.group_ids.map((id) => realm.groups.get(id))
  return (
    channels.every((each) => each === undefined || mayOffer(realm, user, each)) &&
    groups.every((each) => each === undefined || mayAddMembers(realm, user, each, false))
  )
}

/** What an invitation gives now. */
export interface InvitationGrant {
  readonly inviter: UserRecord
  readonly channels: ReadonlyArray<ChannelRecord>
  readonly groups: ReadonlyArray<GroupId>
}

/**
 * What is given to who accepts an invitation: of its channels and groups those to which its inviter may still add people.
 * Undefined where it is over: nobody comes by the role, or the invitation, of somebody who could not give it any more.
 */
export const findGrant = (realm: Realm, invitation: Invitation | null): InvitationGrant | undefined => {
  const inviter = invitation === null ? undefined : realm.users.get(invitation.inviter_id)
  if (invitation === null || inviter === undefined || realm.isDeactivated || !invitation.is_open) return undefined
  if (!realm.isActive(inviter.id) || inviter.is_bot || !mayInviteAs(inviter, invitation.role)) return undefined
  if (!(invitation.email === null ? mayMakeInviteLink : mayInvite)(realm, inviter)) return undefined
  if (invitation.email !== null && realm.findUserByEmail(invitation.email) !== undefined) return undefined
  const named = invitation.channel_ids
    .map((id) => realm.channels.get(id))
    .filter((channel): channel is ChannelRecord => channel !== undefined && !channel.is_archived)
    .filter((channel) => mayOffer(realm, inviter, channel))
  const mayAdd = (group: GroupRecord | undefined) =>
    group !== undefined && !group.deactivated && mayAddMembers(realm, inviter, group, false)
  return {
    inviter,
    channels: [...new Set([...named, ...(invitation.includes_defaults ? joinableDefaults(realm) : [])])],
    groups: invitation.group_ids.filter((id) => mayAdd(realm.groups.get(id))),
  }
}
