/**
 * Who may do what: pure answers by a realm's rules, each written once. Endpoints, register and the audiences of events
 * all ask here. Knowing of a channel (metadata access) and reading it (content access) are kept apart. An action's own
 * conditions, such as a channel that is archived, are the endpoints'.
 */
import { type ApiError, principalUnauthorized } from "../../errors.ts"
import {
  type Choice,
  channelChoices,
  groupChoices,
  type RealmPermission,
  realmChoices,
} from "../realm/permission-choices.ts"
import type { ChannelPermission, ChannelRecord, GroupPermission, GroupRecord, UserRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"
import {
  type GroupSetting,
  isAdministratorRole,
  type Role,
  roles,
  type SystemGroupName,
  systemGroups,
} from "../realm/values.ts"

const dayMilliseconds = 24 * 3600 * 1000

export const isGuest = (user: UserRecord): boolean => user.role === roles.guest
export const isAdministrator = (user: UserRecord): boolean => isAdministratorRole(user.role)
const isOwner = (user: UserRecord): boolean => user.role === roles.owner

/** Members of the system groups, by role. A full member has been a member for the realm's waiting period. */
export const isOfSystemGroup = (rules: Rules, user: UserRecord, group: SystemGroupName): boolean => {
  switch (group) {
    case "role:internet":
    case "role:everyone":
      return true
    case "role:members":
      return user.role <= roles.member
    case "role:fullmembers":
      return (
        user.role <= roles.moderator ||
        (user.role === roles.member &&
          rules.now() - user.joined_at >= rules.settings.waiting_period_days * dayMilliseconds)
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

/** Whether a user is among those that a value comes to. */
export const isAmong = (rules: Rules, user: UserRecord, setting: GroupSetting): boolean =>
  rules.groups.includes(setting, user.id, (group) => isOfSystemGroup(rules, user, group))

/** Guests hold only what may be given to everyone, whatever list they stand in. */
export const mayBeGiven = (user: UserRecord, choice: Choice): boolean => !isGuest(user) || choice.everyone === true

const holds = (rules: Rules, user: UserRecord, choice: Choice, setting: GroupSetting): boolean =>
  mayBeGiven(user, choice) && isAmong(rules, user, setting)

const choiceOf = (name: RealmPermission): Choice => realmChoices[name]

/** A permission of the organization. */
export const holdsRealm = (rules: Rules, user: UserRecord, name: RealmPermission): boolean =>
  holds(rules, user, choiceOf(name), rules.settings[name])

const holdsChannel = (rules: Rules, user: UserRecord, channel: ChannelRecord, name: ChannelPermission) =>
  holds(rules, user, channelChoices[name], channel.permissions[name])

/** A system group's permissions are nobody's. */
const holdsGroup = (rules: Rules, user: UserRecord, group: GroupRecord, name: GroupPermission): boolean =>
  holds(rules, user, groupChoices[name], group.permissions[name] ?? systemGroups["role:nobody"])

const isIn = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  rules.isSubscribed(channel.id, user.id)

/** What lets people who are not subscribed read a private channel, and what lets them know of it. */
export const contentPermissions = ["can_add_subscribers_group", "can_subscribe_group"] as const
export const sightPermissions = ["can_administer_channel_group", ...contentPermissions] as const

/** Open to the user without a subscription: public, or web-public for guests. */
const isOpenTo = (user: UserRecord, channel: ChannelRecord): boolean =>
  !channel.is_private && (!isGuest(user) || channel.is_web_public)

/** The channel's existence, name and settings (metadata access, contract 5 "M"). */
export const mayKnowOf = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  isOpenTo(user, channel) ||
  isIn(rules, user, channel) ||
  (channel.is_private &&
    (isAdministrator(user) || sightPermissions.some((name) => holdsChannel(rules, user, channel, name))))

/** Messages that are sent from now on (content access): of what is private, to those who may join it. */
export const mayReadContent = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  isOpenTo(user, channel) ||
  isIn(rules, user, channel) ||
  (channel.is_private && contentPermissions.some((name) => holdsChannel(rules, user, channel, name)))

/** All messages of the channel, those sent before the user came too. */
export const mayReadHistory = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  channel.history_shared && mayReadContent(rules, user, channel)

/** What is web-public, to visitors without an account. */
export const isOpenToVisitors = (channel: ChannelRecord): boolean =>
  channel.is_web_public && !channel.is_private && !channel.is_archived

/** Who reads: an account, or null for a visitor. */
export const readerKnowsOf = (rules: Rules, reader: UserRecord | null, channel: ChannelRecord): boolean =>
  reader === null ? isOpenToVisitors(channel) : mayKnowOf(rules, reader, channel)

export const readerReadsHistory = (rules: Rules, reader: UserRecord | null, channel: ChannelRecord): boolean =>
  reader === null ? isOpenToVisitors(channel) && channel.history_shared : mayReadHistory(rules, reader, channel)

/** The active person behind a bot. Whoever has left the organization lends nobody their rights. */
export const findOwner = (rules: Rules, bot: UserRecord): UserRecord | undefined => {
  const owner = bot.bot_owner_id === null ? undefined : rules.users.get(bot.bot_owner_id)
  return owner !== undefined && rules.isActive(owner.id) ? owner : undefined
}

/** A bot may post where its owner may. */
export const mayPost = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean => {
  if (holdsChannel(rules, user, channel, "can_send_message_group")) return true
  const owner = findOwner(rules, user)
  return owner !== undefined && holdsChannel(rules, owner, channel, "can_send_message_group")
}

/** What kind of channel is to be made, or to become. */
export type ChannelKind = "public" | "private" | "web-public"
export const kindOf = ({
  is_private,
  is_web_public,
}: Pick<ChannelRecord, "is_private" | "is_web_public">): ChannelKind =>
  is_private ? "private" : is_web_public ? "web-public" : "public"

const creating = {
  public: "can_create_public_channel_group",
  private: "can_create_private_channel_group",
  "web-public": "can_create_web_public_channel_group",
} as const satisfies Readonly<Record<ChannelKind, RealmPermission>>

export const mayCreateChannel = (rules: Rules, user: UserRecord, kind: ChannelKind): boolean =>
  holdsRealm(rules, user, creating[kind])

/** Name, description, permissions, archiving: of a channel that one knows of. */
export const mayAdminister = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayKnowOf(rules, user, channel) &&
  (isAdministrator(user) || holdsChannel(rules, user, channel, "can_administer_channel_group"))

/** Others, to a channel that one may read. */
export const mayAddSubscribers = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayReadContent(rules, user, channel) &&
  (holdsRealm(rules, user, "can_add_subscribers_group") ||
    holdsChannel(rules, user, channel, "can_add_subscribers_group") ||
    mayAdminister(rules, user, channel))

/** The same of a channel that its maker is about to make. */
export const mayAddFirstSubscribers = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  holdsRealm(rules, user, "can_add_subscribers_group") ||
  holdsChannel(rules, user, channel, "can_add_subscribers_group") ||
  holdsChannel(rules, user, channel, "can_administer_channel_group")

/** Somebody out of a channel that one knows of. */
export const mayRemoveSubscriber = (
  rules: Rules,
  user: UserRecord,
  target: UserRecord,
  channel: ChannelRecord,
): boolean =>
  mayKnowOf(rules, user, channel) &&
  (target.id === user.id ||
    isAdministrator(user) ||
    target.bot_owner_id === user.id ||
    holdsChannel(rules, user, channel, "can_remove_subscribers_group") ||
    holdsChannel(rules, user, channel, "can_administer_channel_group"))

/** Which channels new people are put into, and which folders there are. */
export const mayManageDefaults = (user: UserRecord): boolean => isAdministrator(user)
export const mayManageFolders = (user: UserRecord): boolean => isAdministrator(user)
/** How long messages are kept. */
export const maySetRetention = (user: UserRecord): boolean => isOwner(user)
export const mayChangeRealm = (user: UserRecord): boolean => isAdministrator(user)

export const mayCreateGroup = (rules: Rules, user: UserRecord): boolean => holdsRealm(rules, user, "can_create_groups")

/** Name, description, permissions, deactivating. What the system made is managed by nobody. */
export const mayManageGroup = (rules: Rules, user: UserRecord, group: GroupRecord): boolean =>
  !group.is_system &&
  (holdsRealm(rules, user, "can_manage_all_groups") || holdsGroup(rules, user, group, "can_manage_group"))

/** `self`: nobody but oneself. */
export const mayAddMembers = (rules: Rules, user: UserRecord, group: GroupRecord, self: boolean): boolean =>
  mayManageGroup(rules, user, group) ||
  holdsGroup(rules, user, group, "can_add_members_group") ||
  (self && holdsGroup(rules, user, group, "can_join_group"))

export const mayRemoveMembers = (rules: Rules, user: UserRecord, group: GroupRecord, self: boolean): boolean =>
  mayManageGroup(rules, user, group) ||
  holdsGroup(rules, user, group, "can_remove_members_group") ||
  (self && holdsGroup(rules, user, group, "can_leave_group"))

/** Whose key and settings they may read: administrators those of all bots, everybody else those of their own. */
export const mayRunBot = (user: UserRecord, bot: UserRecord): boolean =>
  isAdministrator(user) || bot.bot_owner_id === user.id

/** Creating and deactivating people is for administrators; an owner is handled by owners only. */
export const mayManageUsers = (user: UserRecord): boolean => isAdministrator(user)
export const mayDeactivate = (user: UserRecord, target: UserRecord): boolean =>
  target.bot_owner_id === user.id || (isAdministrator(user) && (!isOwner(target) || isOwner(user)))
export const mayChangeRole = (user: UserRecord, target: UserRecord, role: Role): boolean =>
  isAdministrator(user) && ((!isOwner(target) && role !== roles.owner) || isOwner(user))

/** The last owner can neither go nor step down: no person could ever make another. A bot does not stand in for them. */
export const isLastOwner = (rules: Rules, user: UserRecord): boolean => {
  const isPerson = (other: UserRecord) => isOwner(other) && !other.is_bot
  const isAnother = (other: UserRecord) => other.id !== user.id && isPerson(other) && rules.isActive(other.id)
  return isPerson(user) && ![...rules.users.values()].some(isAnother)
}

/** The refusal to whoever may not manage somebody: what they would have to be. */
export const ranksTooLow = (user: UserRecord): ApiError =>
  principalUnauthorized(
    isAdministrator(user) ? "Must be an organization owner" : "Must be an organization administrator",
  )
