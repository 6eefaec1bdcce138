/**
 * Permissions, who may do what: each is one pure function of a realm's rules, used by endpoints, register and the
 * audiences of events. Knowing of a channel (metadata access) and reading its messages (content access) are different
 * permissions. Conditions that do not depend on the user, such as that a channel is archived, are checked by the
 * endpoints.
 */
import { type ApiError, principalUnauthorized } from "../../../api/errors.ts"
import {
  type GroupSetting,
  isAdministratorRole,
  type Role,
  roles,
  type SystemGroupName,
  systemGroups,
} from "../realm/domain-values.ts"
import {
  channelChoices,
  groupChoices,
  type PermissionChoice,
  type RealmPermission,
  realmChoices,
} from "../realm/permission-choices.ts"
import { fullMemberAt, type Rules } from "../realm/realm-rules.ts"
import type { ChannelPermission, ChannelRecord, GroupPermission, GroupRecord, UserRecord } from "../realm/records.ts"

export const isGuest = (user: UserRecord): boolean => user.role === roles.guest
export const isAdministrator = (user: UserRecord): boolean => isAdministratorRole(user.role)
const isOwner = (user: UserRecord): boolean => user.role === roles.owner

/** Whether a user's role makes them a member of a system group. A full member has been one for the waiting period. */
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
        (user.role === roles.member && fullMemberAt(rules.settings, user) <= rules.settings.full_members_at)
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

/** Whether a permission's value includes a user, directly or by a group. */
export const isAmong = (rules: Rules, user: UserRecord, setting: GroupSetting): boolean =>
  rules.groups.includes(setting, user.id, (group) => isOfSystemGroup(rules, user, group))

/** Guests can hold only permissions that allow the group of everyone, even if a value names them. */
export const mayBeGiven = (user: UserRecord, choice: PermissionChoice): boolean =>
  !isGuest(user) || choice.everyone === true

const holds = (rules: Rules, user: UserRecord, choice: PermissionChoice, setting: GroupSetting): boolean =>
  mayBeGiven(user, choice) && isAmong(rules, user, setting)

/** Whether a user holds a permission of the organization. */
export const holdsRealm = (rules: Rules, user: UserRecord, name: RealmPermission): boolean =>
  holds(rules, user, realmChoices[name], rules.settings[name])

const holdsChannel = (rules: Rules, user: UserRecord, channel: ChannelRecord, name: ChannelPermission) =>
  holds(rules, user, channelChoices[name], channel.permissions[name])

/** Whether a user holds a permission of a group. Nobody holds those of a system group, which has none. */
const holdsGroup = (rules: Rules, user: UserRecord, group: GroupRecord, name: GroupPermission): boolean =>
  holds(rules, user, groupChoices[name], group.permissions[name] ?? systemGroups["role:nobody"])

const isIn = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  rules.isSubscribed(channel.id, user.id)

/** The permissions that let users who are not subscribed read a private channel (content), or know of it (sight). */
export const contentPermissions = ["can_add_subscribers_group", "can_subscribe_group"] as const
export const visibilityPermissions = ["can_administer_channel_group", ...contentPermissions] as const

/** Whether a user may read a channel without subscribing: public channels, for guests only web-public ones. */
export const isOpenTo = (user: UserRecord, channel: ChannelRecord): boolean =>
  !channel.is_private && (!isGuest(user) || channel.is_web_public)

/** Metadata access: to the channel's existence, name and settings. */
export const mayKnowOf = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  isOpenTo(user, channel) ||
  isIn(rules, user, channel) ||
  (channel.is_private &&
    (isAdministrator(user) || visibilityPermissions.some((name) => holdsChannel(rules, user, channel, name))))

/** Content access: messages sent from now on. In a private channel also for users who may subscribe to it. */
export const mayReadContent = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  isOpenTo(user, channel) ||
  isIn(rules, user, channel) ||
  (channel.is_private && contentPermissions.some((name) => holdsChannel(rules, user, channel, name)))

/** All messages of the channel, also those sent before the user was subscribed. */
export const mayReadHistory = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  channel.history_shared && mayReadContent(rules, user, channel)

/**
 * One message of the channel; `held`: the user received it, was given it or has a row of their own about it. In a public
 * channel that is enough for ever; in a private one only while they may read the channel at all.
 */
export const mayReadMessage = (rules: Rules, user: UserRecord, channel: ChannelRecord, held: boolean): boolean =>
  (held && (!channel.is_private || isIn(rules, user, channel))) || mayReadHistory(rules, user, channel)

/** Whether visitors without an account may read the channel. */
export const isOpenToVisitors = (channel: ChannelRecord): boolean =>
  channel.is_web_public && !channel.is_private && !channel.is_archived

/** As mayKnowOf; `reader`: null for a visitor without an account. */
export const readerKnowsOf = (rules: Rules, reader: UserRecord | null, channel: ChannelRecord): boolean =>
  reader === null ? isOpenToVisitors(channel) : mayKnowOf(rules, reader, channel)

export const readerReadsHistory = (rules: Rules, reader: UserRecord | null, channel: ChannelRecord): boolean =>
  reader === null ? isOpenToVisitors(channel) && channel.history_shared : mayReadHistory(rules, reader, channel)

/** As mayReadMessage; a visitor holds nothing. */
export const readerReadsMessage = (
  rules: Rules,
  reader: UserRecord | null,
  channel: ChannelRecord,
  held: boolean,
): boolean =>
  reader === null ? readerReadsHistory(rules, reader, channel) : mayReadMessage(rules, reader, channel, held)

/** A bot's owner, if active: a bot has no rights of a deactivated owner. */
export const findOwner = (rules: Rules, bot: UserRecord): UserRecord | undefined => {
  const owner = bot.bot_owner_id === null ? undefined : rules.users.get(bot.bot_owner_id)
  return owner !== undefined && rules.isActive(owner.id) ? owner : undefined
}

/** Whether a user may post in a channel. A bot may also post where its owner may. */
export const mayPost = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean => {
  if (holdsChannel(rules, user, channel, "can_send_message_group")) return true
  const owner = findOwner(rules, user)
  return owner !== undefined && holdsChannel(rules, owner, channel, "can_send_message_group")
}

/** The kinds of channels that have a permission to make them each. */
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

/** Changing or archiving a channel that the user may know of. */
export const mayAdminister = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayKnowOf(rules, user, channel) &&
  (isAdministrator(user) || holdsChannel(rules, user, channel, "can_administer_channel_group"))

/** Moving messages to other topics of their channel. */
export const mayMoveWithin = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayReadContent(rules, user, channel) &&
  (holdsRealm(rules, user, "can_move_messages_between_topics_group") ||
    holdsChannel(rules, user, channel, "can_move_messages_within_channel_group") ||
    mayAdminister(rules, user, channel))

/** Moving messages out of a channel to another. */
export const mayMoveOut = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayReadContent(rules, user, channel) &&
  (holdsRealm(rules, user, "can_move_messages_between_channels_group") ||
    holdsChannel(rules, user, channel, "can_move_messages_out_of_channel_group") ||
    mayAdminister(rules, user, channel))

/** Marking topics of a channel as resolved, and undoing it. */
export const mayResolve = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayReadContent(rules, user, channel) &&
  (holdsRealm(rules, user, "can_resolve_topics_group") ||
    holdsChannel(rules, user, channel, "can_resolve_topics_group") ||
    mayAdminister(rules, user, channel))

/** Deleting messages of others; `channel`: null for direct messages. */
export const mayDeleteAny = (rules: Rules, user: UserRecord, channel: ChannelRecord | null): boolean =>
  isAdministrator(user) ||
  holdsRealm(rules, user, "can_delete_any_message_group") ||
  (channel !== null && holdsChannel(rules, user, channel, "can_delete_any_message_group"))

/** Deleting one's own messages, and those of one's bots, for some time after they were sent. */
export const mayDeleteOwn = (rules: Rules, user: UserRecord, channel: ChannelRecord | null): boolean =>
  holdsRealm(rules, user, "can_delete_own_message_group") ||
  (channel !== null && holdsChannel(rules, user, channel, "can_delete_own_message_group"))

/** Moderators may move messages however old they are. */
export const movesAtAnyTime = ({ role }: UserRecord): boolean => role <= roles.moderator

/** Subscribing other users to a channel that the user may read. */
export const mayAddSubscribers = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  mayReadContent(rules, user, channel) &&
  (holdsRealm(rules, user, "can_add_subscribers_group") ||
    holdsChannel(rules, user, channel, "can_add_subscribers_group") ||
    mayAdminister(rules, user, channel))

/** Subscribing other users to a new channel together with its creation. `channel`: the record that it will have. */
export const mayAddFirstSubscribers = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  holdsRealm(rules, user, "can_add_subscribers_group") ||
  holdsChannel(rules, user, channel, "can_add_subscribers_group") ||
  holdsChannel(rules, user, channel, "can_administer_channel_group")

/** Unsubscribing `target` from a channel that the user may know of. */
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

/** Changing which channels are default channels, and the channel folders. */
export const mayManageDefaults = (user: UserRecord): boolean => isAdministrator(user)
export const mayManageFolders = (user: UserRecord): boolean => isAdministrator(user)
/** Setting how long messages are kept. */
export const maySetRetention = (user: UserRecord): boolean => isOwner(user)
/** Switching ways to sign in on or off. */
export const maySetSignIn = (user: UserRecord): boolean => isOwner(user)
/** Ending the organization. */
export const mayDeactivateRealm = (user: UserRecord): boolean => isOwner(user)
export const mayChangeRealm = (user: UserRecord): boolean => isAdministrator(user)

/** Inviting people by mail, and making links by which anybody may come. */
export const mayInvite = (rules: Rules, user: UserRecord): boolean => holdsRealm(rules, user, "can_invite_users_group")
export const mayMakeInviteLink = (rules: Rules, user: UserRecord): boolean =>
  holdsRealm(rules, user, "create_multiuse_invite_group")
/** Nobody invites to a role above their own. */
export const mayInviteAs = (user: UserRecord, role: Role): boolean => user.role <= role
/** Whether a user may subscribe others to channels at all, where no channel lets them by itself. */
export const maySubscribeOthers = (rules: Rules, user: UserRecord): boolean =>
  holdsRealm(rules, user, "can_add_subscribers_group")

export const mayCreateGroup = (rules: Rules, user: UserRecord): boolean => holdsRealm(rules, user, "can_create_groups")

/** Changing or deactivating a group. System groups cannot be managed. */
export const mayManageGroup = (rules: Rules, user: UserRecord, group: GroupRecord): boolean =>
  !group.is_system &&
  (holdsRealm(rules, user, "can_manage_all_groups") || holdsGroup(rules, user, group, "can_manage_group"))

/** Mentioning a group so that its members are notified. Nobody may mention a system group that way. */
export const mayMentionGroup = (rules: Rules, user: UserRecord, group: GroupRecord): boolean =>
  holdsGroup(rules, user, group, "can_mention_group")

/** Adding members to a group. `self`: the user adds only themselves. */
export const mayAddMembers = (rules: Rules, user: UserRecord, group: GroupRecord, self: boolean): boolean =>
  mayManageGroup(rules, user, group) ||
  holdsGroup(rules, user, group, "can_add_members_group") ||
  (self && holdsGroup(rules, user, group, "can_join_group"))

export const mayRemoveMembers = (rules: Rules, user: UserRecord, group: GroupRecord, self: boolean): boolean =>
  mayManageGroup(rules, user, group) ||
  holdsGroup(rules, user, group, "can_remove_members_group") ||
  (self && holdsGroup(rules, user, group, "can_leave_group"))

/**
 * Reading the key and the settings of a bot: administrators those of all bots, others those of their own. The key of a bot that is
 * an owner makes whoever has it one, so it is for owners.
 */
export const mayRunBot = (user: UserRecord, bot: UserRecord): boolean =>
  bot.bot_owner_id === user.id || (isAdministrator(user) && (!isOwner(bot) || isOwner(user)))

/** Administrators create and deactivate users and change roles; only owners do that with owners. */
export const mayManageUsers = (user: UserRecord): boolean => isAdministrator(user)
export const mayDeactivate = (user: UserRecord, target: UserRecord): boolean =>
  target.bot_owner_id === user.id || (isAdministrator(user) && (!isOwner(target) || isOwner(user)))
export const mayChangeRole = (user: UserRecord, target: UserRecord, role: Role): boolean =>
  isAdministrator(user) && ((!isOwner(target) && role !== roles.owner) || isOwner(user))

/** Setting the status of others, whatever their role. */
export const maySetStatuses = (user: UserRecord): boolean => isAdministrator(user)

/** Whether a user is the only active owner who is not a bot. They can neither leave nor change their role. */
export const isLastOwner = (rules: Rules, user: UserRecord): boolean => {
  const isPerson = (other: UserRecord) => isOwner(other) && !other.is_bot
  const isAnother = (other: UserRecord) => other.id !== user.id && isPerson(other) && rules.isActive(other.id)
  return isPerson(user) && ![...rules.users.values()].some(isAnother)
}

/** The refusal of a user who may not manage another: it names the role that they would need. */
export const ranksTooLow = (user: UserRecord): ApiError =>
  principalUnauthorized(
    isAdministrator(user) ? "Must be an organization owner" : "Must be an organization administrator",
  )
