/**
 * What the reader may do, by the groups that permissions name: so the page offers nothing that would be refused. The server judges by
 * itself, and by more than the page knows of.
 */
import type { Api } from "../../client/index.ts"
import type { PageChannel, PagePerson, PagePost, PageState } from "./model.ts"

/** What rights are read from. */
export type Rights = Pick<PageState, "self" | "groups" | "permissions">

const isIn = (state: Rights, group: number, user: number, seen: ReadonlySet<number> = new Set()): boolean => {
  const found = state.groups.get(group)
  if (found === undefined || seen.has(group)) return false
  const next = new Set([...seen, group])
  return found.members.includes(user) || found.direct_subgroup_ids.some((below) => isIn(state, below, user, next))
}

/** `holders`: one group by its number, or people and groups. */
export const isAmong = (state: Rights, user: number, holders: Api.PermissionHolders): boolean =>
  typeof holders === "number"
    ? isIn(state, holders, user)
    : holders.direct_members.includes(user) || holders.direct_subgroups.some((group) => isIn(state, group, user))

/** Guests hold nothing but what everybody may hold, whatever group they are in. */
const holds = (state: Rights, holders: Api.PermissionHolders): boolean =>
  !state.self.isGuest && isAmong(state, state.self.id, holders)

/** Posting is what guests may be let do, too. */
export const mayPost = (state: Rights, { permissions }: PageChannel): boolean =>
  isAmong(state, state.self.id, permissions.post)

/** A message there must have a topic. */
export const needsTopic = ({ topicsPolicy }: Pick<PageState, "topicsPolicy">, channel: PageChannel): boolean =>
  (channel.topicsPolicy === "inherit" ? topicsPolicy : channel.topicsPolicy) === "disable_empty_topic"

export const mayAdminister = (state: Rights, { permissions }: PageChannel): boolean =>
  state.self.isAdmin || holds(state, permissions.administer)

export const mayAddSubscribers = (state: Rights, channel: PageChannel): boolean =>
  mayAdminister(state, channel) ||
  holds(state, channel.permissions.addSubscribers) ||
  holds(state, state.permissions.addSubscribers)

/** Others than oneself. */
export const mayRemoveSubscribers = (state: Rights, channel: PageChannel): boolean =>
  mayAdminister(state, channel) || holds(state, channel.permissions.removeSubscribers)

export const mayCreateGroups = (state: Rights): boolean => holds(state, state.permissions.createGroups)

export const mayManageGroup = (state: Rights, group: Api.UserGroup): boolean =>
  !group.is_system_group && (holds(state, state.permissions.manageGroups) || holds(state, group.can_manage_group))

/** `who`: themselves alone, which more groups allow. */
export const mayAddMember = (state: Rights, group: Api.UserGroup, who: number): boolean =>
  mayManageGroup(state, group) ||
  holds(state, group.can_add_members_group) ||
  (who === state.self.id && holds(state, group.can_join_group))

export const mayRemoveMember = (state: Rights, group: Api.UserGroup, who: number): boolean =>
  mayManageGroup(state, group) ||
  holds(state, group.can_remove_members_group) ||
  (who === state.self.id && isAmong(state, state.self.id, group.can_leave_group))

/** By their numbers, from many rights to few. */
export const roles = [100, 200, 300, 400, 600] as const
export type PersonRole = (typeof roles)[number]

const owner: PersonRole = 100

const isLastOwner = (people: PageState["people"], { id, role }: PagePerson): boolean =>
  role === owner &&
  ![...people.values()].some((other) => other.id !== id && other.role === owner && other.isActive && !other.isBot)

/** Why the reader may neither change somebody's role nor deactivate them; null where they may. */
export const whyFixed = (
  { self, people }: Pick<PageState, "self" | "people">,
  person: PagePerson,
): "self" | "bot" | "onlyOwner" | "onlyOwners" | "nobody" | null => {
  if (!self.isAdmin) return "nobody"
  if (person.isBot) return "bot"
  if (person.isActive && isLastOwner(people, person)) return "onlyOwner"
  if (person.id === self.id) return "self"
  return person.role === owner && !self.isOwner ? "onlyOwners" : null
}

/** That the reader may give to somebody whom they may change. */
export const rolesToGive = ({ isOwner }: PageState["self"]): ReadonlyArray<PersonRole> =>
  roles.filter((role) => isOwner || role !== owner)

/** What is asked about one message. */
export type MessageRights = Rights & Pick<PageState, "channels" | "people" | "messageRules" | "hasReceipts">

export type MessageAct =
  | "react"
  | "reply"
  | "quote"
  | "edit"
  | "star"
  | "markUnread"
  | "copyLink"
  | "copyText"
  | "history"
  | "readBy"
  | "move"
  | "remove"

/** `now`: Unix seconds. */
const isWithin = (limit: number | null, post: PagePost, now: number): boolean =>
  limit === null || now - post.time <= limit

/** A poll or a to-do list is not edited. */
export const mayEdit = (state: MessageRights, post: PagePost, now: number): boolean => {
  const { conversation } = post
  const isOpen = conversation.kind === "direct" || state.channels.get(conversation.channel)?.isArchived === false
  const { isEditable, editSeconds } = state.messageRules
  return (
    isOpen &&
    isEditable &&
    post.senderId === state.self.id &&
    post.acts.length === 0 &&
    isWithin(editSeconds, post, now)
  )
}

const channelOf = ({ channels }: MessageRights, { conversation }: PagePost): PageChannel | undefined =>
  conversation.kind === "topic" ? channels.get(conversation.channel) : undefined

/** Guests may be let delete their own. What their bots wrote is theirs, too. */
export const mayDelete = (state: MessageRights, post: PagePost, now: number): boolean => {
  const { self, permissions, people } = state
  const channel = channelOf(state, post)
  const isOwn = post.senderId === self.id || people.get(post.senderId)?.ownerId === self.id
  if (self.isAdmin || holds(state, permissions.deleteAny)) return true
  if (channel !== undefined && holds(state, channel.permissions.deleteAny)) return true
  const isLet =
    isAmong(state, self.id, permissions.deleteOwn) ||
    (channel !== undefined && isAmong(state, self.id, channel.permissions.deleteOwn))
  return isOwn && isLet && isWithin(state.messageRules.deleteSeconds, post, now)
}

/** To another topic, or to another channel. Moderators may however old a message is. */
export const mayMove = (state: MessageRights, post: PagePost, now: number): boolean => {
  const channel = channelOf(state, post)
  const { self, permissions, messageRules } = state
  if (channel === undefined || channel.isArchived) return false
  if (!channel.isSubscribed && (channel.isPrivate || self.isGuest)) return false
  const isAdmin = mayAdminister(state, channel)
  const isInTime = (limit: number | null) => self.isModerator || isWithin(limit, post, now)
  const mayWithin =
    isAdmin ||
    isAmong(state, self.id, permissions.moveTopics) ||
    isAmong(state, self.id, channel.permissions.moveWithin)
  const mayOut = isAdmin || holds(state, permissions.moveChannels) || holds(state, channel.permissions.moveOut)
  return (mayWithin && isInTime(messageRules.topicSeconds)) || (mayOut && isInTime(messageRules.channelSeconds))
}

/** All that the reader may do with a message, in the order in which it is offered. */
export const actsOn = (state: MessageRights, post: PagePost, now: number): ReadonlyArray<MessageAct> => {
  const channel = channelOf(state, post)
  const isDirect = post.conversation.kind === "direct"
  const mayReply = isDirect || (channel !== undefined && !channel.isArchived && mayPost(state, channel))
  const { history } = state.messageRules
  const all: ReadonlyArray<readonly [act: MessageAct, isLet: boolean]> = [
    ["react", true],
    ["reply", mayReply],
    ["quote", mayReply],
    ["edit", mayEdit(state, post, now)],
    ["star", true],
    ["markUnread", post.flags.has("read") && (isDirect || channel?.isSubscribed === true)],
    ["copyLink", true],
    ["copyText", post.acts.length === 0],
    ["history", (post.isEdited && history === "all") || (post.isMoved && history !== "none")],
    ["readBy", state.hasReceipts],
    ["move", mayMove(state, post, now)],
    ["remove", mayDelete(state, post, now)],
  ]
  return all.flatMap(([act, isLet]) => (isLet ? [act] : []))
}
