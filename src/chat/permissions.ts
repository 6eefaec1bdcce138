/**
 * Who may do what: pure answers about the realm in memory, each rule written once. Endpoints, register and the
 * audiences of events all ask here. Knowing of a channel and reading it are kept apart.
 */
import { type ApiError, principalUnauthorized } from "../errors.ts"
import { ChannelId, UserId } from "../ids.ts"
import type { Realm } from "./realm.ts"
import type { ChannelRecord, UserRecord } from "./records.ts"
import {
  type GroupSetting,
  isAdministratorRole,
  type Role,
  roles,
  type SystemGroupName,
  systemGroups,
} from "./values.ts"

const dayMilliseconds = 24 * 3600 * 1000

export const isGuest = (user: UserRecord): boolean => user.role === roles.guest
export const isAdministrator = (user: UserRecord): boolean => isAdministratorRole(user.role)

/** Members of the system groups, by role. A full member has been a member for the realm's waiting period. */
const inSystemGroup = (realm: Realm, user: UserRecord, group: SystemGroupName, now: number): boolean => {
  switch (group) {
    case "role:internet":
    case "role:everyone":
      return true
    case "role:members":
      return user.role <= roles.member
    case "role:fullmembers":
      return (
        user.role <= roles.moderator ||
        (user.role === roles.member && now - user.joined_at >= realm.settings.waiting_period_days * dayMilliseconds)
      )
    case "role:moderators":
      return user.role <= roles.moderator
    case "role:administrators":
      return user.role <= roles.administrator
    case "role:owners":
      return user.role === roles.owner
    case "role:nobody":
      return false
  }
}

const systemGroupNames = new Map<number, SystemGroupName>()
for (const [name, id] of Object.entries(systemGroups)) {
  const known = Object.keys(systemGroups).find((each): each is SystemGroupName => each === name)
  if (known !== undefined) systemGroupNames.set(id, known)
}

/** Whether a user holds a permission. `now` in milliseconds, for the waiting period of full members. */
export const holds = (realm: Realm, user: UserRecord, setting: GroupSetting, now: number): boolean => {
  const inGroup = (id: number) => {
    const name = systemGroupNames.get(id)
    return name !== undefined && inSystemGroup(realm, user, name, now)
  }
  if (typeof setting === "number") return inGroup(setting)
  return setting.direct_members.includes(user.id) || setting.direct_subgroups.some(inGroup)
}

/** The channel's existence, name and settings (metadata access, contract 5 "M"). */
export const mayKnowOf = (realm: Realm, user: UserRecord, channel: ChannelRecord): boolean => {
  if (realm.subscriptions.isSubscribed(ChannelId(channel.id), UserId(user.id))) return true
  return channel.is_private ? isAdministrator(user) : !isGuest(user) || channel.is_web_public
}

/** All messages of the channel, those sent before the user came too (content access). */
export const mayReadHistory = (realm: Realm, user: UserRecord, channel: ChannelRecord): boolean => {
  if (realm.subscriptions.isSubscribed(ChannelId(channel.id), UserId(user.id))) return channel.history_shared
  return !channel.is_private && (!isGuest(user) || channel.is_web_public)
}

/** Messages that are sent from now on: one must be subscribed to what is private. */
export const mayReadContent = (realm: Realm, user: UserRecord, channel: ChannelRecord): boolean =>
  realm.subscriptions.isSubscribed(ChannelId(channel.id), UserId(user.id)) ||
  (!channel.is_private && (!isGuest(user) || channel.is_web_public))

/** The active person behind a bot. Whoever has left the organization lends nobody their rights. */
export const findOwner = (realm: Realm, bot: UserRecord): UserRecord | undefined => {
  const owner = bot.bot_owner_id === null ? undefined : realm.users.get(UserId(bot.bot_owner_id))
  return owner !== undefined && realm.isActive(UserId(owner.id)) ? owner : undefined
}

/** A bot may post where its owner may. */
export const mayPost = (realm: Realm, user: UserRecord, channel: ChannelRecord, now: number): boolean => {
  const setting = channel.permissions.can_send_message_group
  if (holds(realm, user, setting, now)) return true
  const owner = findOwner(realm, user)
  return owner !== undefined && holds(realm, owner, setting, now)
}

export const mayCreateChannel = (realm: Realm, user: UserRecord, isPrivate: boolean, now: number): boolean =>
  holds(
    realm,
    user,
    isPrivate ? realm.settings.can_create_private_channel_group : realm.settings.can_create_public_channel_group,
    now,
  )

export const mayAddSubscribers = (realm: Realm, user: UserRecord, channel: ChannelRecord | null, now: number) =>
  holds(realm, user, realm.settings.can_add_subscribers_group, now) ||
  (channel !== null && holds(realm, user, channel.permissions.can_add_subscribers_group, now))

/** Whose key and settings they may read: administrators those of all bots, everybody else those of their own. */
export const mayRunBot = (user: UserRecord, bot: UserRecord): boolean =>
  isAdministrator(user) || bot.bot_owner_id === user.id

/** Creating and deactivating people is for administrators; an owner is handled by owners only. */
export const mayManageUsers = (user: UserRecord): boolean => isAdministrator(user)
export const mayDeactivate = (user: UserRecord, target: UserRecord): boolean =>
  target.bot_owner_id === user.id ||
  (isAdministrator(user) && (target.role !== roles.owner || user.role === roles.owner))
export const mayChangeRole = (user: UserRecord, target: UserRecord, role: Role): boolean =>
  isAdministrator(user) && ((target.role !== roles.owner && role !== roles.owner) || user.role === roles.owner)

/** The last owner can neither go nor step down: no person could ever make another. A bot does not stand in for them. */
export const isLastOwner = (realm: Realm, user: UserRecord): boolean => {
  const isOwner = ({ role, is_bot }: UserRecord) => role === roles.owner && !is_bot
  const isAnother = (other: UserRecord) => other.id !== user.id && isOwner(other) && realm.isActive(UserId(other.id))
  return isOwner(user) && ![...realm.users.values()].some(isAnother)
}

/** The refusal to whoever may not manage somebody: what they would have to be. */
export const ranksTooLow = (user: UserRecord): ApiError =>
  principalUnauthorized(
    isAdministrator(user) ? "Must be an organization owner" : "Must be an organization administrator",
  )
