/**
 * The permissions, written a second time from the API's description, independently of the server: one line per rule, on
 * plain sets. The permission matrix and the random organizations compare the server's answers with these rules.
 */
import {
  type Channel,
  type ChannelSetting,
  type Group,
  type GroupSetting,
  type Message,
  type RealmSetting,
  role,
  type State,
  system,
  type User,
  type Value,
} from "./state.ts"

const isGuest = (user: User) => user.role === role.guest
const isAdmin = (user: User) => user.isActive && user.role <= role.administrator
const isOwner = (user: User) => user.isActive && user.role <= role.owner

const leastRole: ReadonlyMap<number, number> = new Map([
  [system.internet, role.guest],
  [system.everyone, role.guest],
  [system.members, role.member],
  [system.fullMembers, role.member],
  [system.moderators, role.moderator],
  [system.administrators, role.administrator],
  [system.owners, role.owner],
  [system.nobody, 0],
])

/** Whether an active user is in a group, directly or by a subgroup. */
export const isIn = (state: State, user: User, id: number): boolean => {
  const least = leastRole.get(id)
  if (least !== undefined) return user.isActive && user.role <= least
  const group = state.groups.get(id)
  if (group === undefined || group.isDeactivated || !user.isActive) return false
  return group.members.has(user.id) || [...group.subgroups].some((each) => isIn(state, user, each))
}

const isNamed = (state: State, user: User, value: Value): boolean =>
  typeof value === "number"
    ? isIn(state, user, value)
    : user.isActive &&
      (value.direct_members.includes(user.id) || value.direct_subgroups.some((each) => isIn(state, user, each)))

/** The permissions that guests can hold: those that may be given to everyone. */
const forGuests: ReadonlySet<string> = new Set([
  "can_send_message_group",
  "can_delete_own_message_group",
  "can_move_messages_within_channel_group",
  "can_resolve_topics_group",
  "can_leave_group",
  "can_mention_group",
])

const holds = (state: State, user: User, setting: string, value: Value): boolean =>
  (!isGuest(user) || forGuests.has(setting)) && isNamed(state, user, value)

const inRealm = (state: State, user: User, setting: RealmSetting) =>
  holds(state, user, setting, state.settings[setting])
const inChannel = (state: State, user: User, channel: Channel, ...settings: ReadonlyArray<ChannelSetting>) =>
  settings.some((each) => holds(state, user, each, channel.settings[each]))
const inGroup = (state: State, user: User, group: Group, setting: GroupSetting) =>
  holds(state, user, setting, group.settings[setting])

/** A bot's owner, while active. */
const ownerOf = (state: State, user: User): ReadonlyArray<User> => {
  const owner = user.isBot && user.owner !== null ? state.users.get(user.owner) : undefined
  return owner?.isActive === true ? [owner] : []
}
const selfOrOwner = (state: State, user: User, may: (each: User) => boolean) =>
  [user, ...ownerOf(state, user)].some(may)

// Seeing

export const isSubscribed = (user: User, channel: Channel): boolean => user.isActive && channel.subscribers.has(user.id)

export const mayKnow = (state: State, user: User, channel: Channel): boolean => {
  if (!user.isActive) return false
  if (isSubscribed(user, channel) || channel.isWebPublic) return true
  if (!channel.isPrivate) return !isGuest(user)
  const letting = ["can_administer_channel_group", "can_add_subscribers_group", "can_subscribe_group"] as const
  return isAdmin(user) || inChannel(state, user, channel, ...letting)
}

export const mayReadContent = (state: State, user: User, channel: Channel): boolean => {
  if (!user.isActive) return false
  if (isSubscribed(user, channel) || channel.isWebPublic) return true
  if (!channel.isPrivate) return !isGuest(user)
  return inChannel(state, user, channel, "can_add_subscribers_group", "can_subscribe_group")
}

/** Whether a user may read messages of the channel that they did not receive. */
export const mayReadHistory = (state: State, user: User, channel: Channel): boolean =>
  channel.isShared && mayReadContent(state, user, channel)

/**
 * The messages of a channel that a user may read; undefined: for them the channel does not exist. A former subscriber of a
 * public one still knows it, because they hold messages that name it.
 */
export const readable = (state: State, user: User, channel: Channel): ReadonlyArray<number> | undefined => {
  if (!mayKnow(state, user, channel) && (channel.isPrivate || !channel.ever.has(user.id))) return undefined
  const open = mayReadHistory(state, user, channel)
  return [...state.messages.values()]
    .filter((each) => each.channel === channel.id && (open || keeps(state, user, each)))
    .map(({ id }) => id)
}

/** What a user received in a private channel counts while they are in it, or read its history by a group. */
export const keeps = (state: State, user: User, { channel: id, holders }: Message): boolean => {
  const channel = id === null ? undefined : state.channels.get(id)
  const isOut = channel?.isPrivate === true && !isSubscribed(user, channel) && !mayReadHistory(state, user, channel)
  return holders.has(user.id) && !isOut
}

// Posting and subscribing

/** A bot may write where its owner may. */
export const mayKnowToPost = (state: State, user: User, channel: Channel): boolean =>
  selfOrOwner(state, user, (each) => mayKnow(state, each, channel))

export const mayPost = (state: State, user: User, channel: Channel): boolean =>
  !channel.isArchived &&
  mayKnowToPost(state, user, channel) &&
  selfOrOwner(state, user, (each) => mayReadContent(state, each, channel)) &&
  selfOrOwner(state, user, (each) => inChannel(state, each, channel, "can_send_message_group"))

export const maySubscribe = (state: State, user: User, channel: Channel): boolean =>
  !isGuest(user) && !channel.isArchived && mayReadContent(state, user, channel)

export const maySubscribeOthers = (state: State, user: User, channel: Channel): boolean =>
  maySubscribe(state, user, channel) &&
  (inRealm(state, user, "can_add_subscribers_group") ||
    inChannel(state, user, channel, "can_add_subscribers_group", "can_administer_channel_group") ||
    isAdmin(user))

export const mayLeave = (state: State, user: User, channel: Channel): boolean =>
  !channel.isArchived && mayKnow(state, user, channel)

export const mayUnsubscribe = (state: State, user: User, other: User, channel: Channel): boolean =>
  mayLeave(state, user, channel) &&
  (isAdmin(user) ||
    inChannel(state, user, channel, "can_administer_channel_group", "can_remove_subscribers_group") ||
    (other.isBot && other.owner === user.id && !user.isBot))

// Changing channels

export const mayAdminister = (state: State, user: User, channel: Channel): boolean =>
  mayKnow(state, user, channel) && (isAdmin(user) || inChannel(state, user, channel, "can_administer_channel_group"))

/** Changing the privacy, or who else may read the channel: only for administrators of it who may read it themselves. */
export const mayOpen = (state: State, user: User, channel: Channel): boolean =>
  mayAdminister(state, user, channel) && (!channel.isPrivate || mayReadContent(state, user, channel))

export type Kind = "public" | "web-public" | "private-shared" | "private-protected"
export const kindOf = ({ isPrivate, isWebPublic, isShared }: Channel): Kind =>
  isWebPublic ? "web-public" : !isPrivate ? "public" : isShared ? "private-shared" : "private-protected"
const familyOf = (kind: Kind): "public" | "web-public" | "private" =>
  kind === "public" || kind === "web-public" ? kind : "private"

const creating = {
  public: "can_create_public_channel_group",
  "web-public": "can_create_web_public_channel_group",
  private: "can_create_private_channel_group",
} as const

export const mayCreate = (state: State, user: User, kind: Kind): boolean =>
  user.isActive && !isGuest(user) && inRealm(state, user, creating[familyOf(kind)])

export const mayTurn = (state: State, user: User, channel: Channel, kind: Kind): boolean =>
  mayOpen(state, user, channel) &&
  (familyOf(kind) === familyOf(kindOf(channel)) || inRealm(state, user, creating[familyOf(kind)]))

export const mayGive = (state: State, user: User, channel: Channel, setting: ChannelSetting): boolean => {
  if (setting === "can_add_subscribers_group" || setting === "can_subscribe_group") return mayOpen(state, user, channel)
  const isOfDeletion = setting === "can_delete_any_message_group" || setting === "can_delete_own_message_group"
  return (
    mayAdminister(state, user, channel) &&
    (!isOfDeletion || inRealm(state, user, "can_set_delete_message_policy_group"))
  )
}

export const maySetTopicsPolicy = (state: State, user: User, channel: Channel, policy: string): boolean =>
  mayAdminister(state, user, channel) && (policy === "inherit" || inRealm(state, user, "can_set_topics_policy_group"))

export const mayMakeDefault = (user: User): boolean => isAdmin(user)
export const mayChangeRetention = (user: User): boolean => isOwner(user)
export const mayChangeRealm = (user: User): boolean => isAdmin(user)

// Groups

export const mayCreateGroups = (state: State, user: User): boolean => inRealm(state, user, "can_create_groups")

export const mayManage = (state: State, user: User, group: Group): boolean =>
  inRealm(state, user, "can_manage_all_groups") || inGroup(state, user, group, "can_manage_group")

export const mayAddMember = (state: State, user: User, group: Group, other: User): boolean =>
  !group.isDeactivated &&
  (mayManage(state, user, group) ||
    inGroup(state, user, group, "can_add_members_group") ||
    (other === user && inGroup(state, user, group, "can_join_group")))

export const mayRemoveMember = (state: State, user: User, group: Group, other: User): boolean =>
  !group.isDeactivated &&
  (mayManage(state, user, group) ||
    inGroup(state, user, group, "can_remove_members_group") ||
    (other === user && inGroup(state, user, group, "can_leave_group")))

export const mayAddSubgroup = (state: State, user: User, group: Group): boolean =>
  !group.isDeactivated && (mayManage(state, user, group) || inGroup(state, user, group, "can_add_members_group"))

export const mayRemoveSubgroup = (state: State, user: User, group: Group): boolean =>
  !group.isDeactivated && (mayManage(state, user, group) || inGroup(state, user, group, "can_remove_members_group"))

// Shown values

/** A setting as clients see it: without deactivated people, in its simplest form. */
export const shown = (state: State, value: Value): Value => {
  if (typeof value === "number") return value
  const direct_members = value.direct_members
    .filter((id) => state.users.get(id)?.isActive === true)
    .sort((a, b) => a - b)
  const direct_subgroups = [...value.direct_subgroups].sort((a, b) => a - b)
  const [first] = direct_subgroups
  if (direct_members.length > 0 || direct_subgroups.length > 1) return { direct_members, direct_subgroups }
  return first ?? system.nobody
}

export const activeOf = (state: State, users: Iterable<number>): ReadonlyArray<number> =>
  [...users].filter((id) => state.users.get(id)?.isActive === true).sort((a, b) => a - b)
