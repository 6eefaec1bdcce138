/**
 * The model of an organization as plain sets: users, members of groups, subscribers of channels, the value of each
 * setting, and the receivers of each message. Nothing is derived or cached: rules.ts computes everything each time.
 */
import type { UserId } from "../../../src/ids.ts"

export const role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const

/** Ids of the system groups. */
export const system = {
  internet: 1,
  everyone: 2,
  members: 3,
  fullMembers: 4,
  moderators: 5,
  administrators: 6,
  owners: 7,
  nobody: 8,
} as const

export interface Collection {
  readonly direct_members: ReadonlyArray<number>
  readonly direct_subgroups: ReadonlyArray<number>
}
/** A setting: a group's id, or a collection; deactivated people stay in it. */
export type Value = number | Collection

export const channelSettings = [
  "can_add_subscribers_group",
  "can_administer_channel_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_remove_subscribers_group",
  "can_resolve_topics_group",
  "can_send_message_group",
  "can_subscribe_group",
] as const
export type ChannelSetting = (typeof channelSettings)[number]

export const groupSettings = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const
export type GroupSetting = (typeof groupSettings)[number]

/** The organization's permissions on which the rules depend. */
export const realmSettings = [
  "can_add_subscribers_group",
  "can_create_public_channel_group",
  "can_create_private_channel_group",
  "can_create_web_public_channel_group",
  "can_create_groups",
  "can_manage_all_groups",
  "can_set_delete_message_policy_group",
  "can_set_topics_policy_group",
] as const
export type RealmSetting = (typeof realmSettings)[number]

export interface User {
  readonly id: UserId
  readonly name: string
  role: number
  isActive: boolean
  readonly isBot: boolean
  readonly owner: UserId | null
}

export interface Group {
  readonly id: number
  name: string
  description: string
  isDeactivated: boolean
  readonly members: Set<number>
  readonly subgroups: Set<number>
  readonly settings: Record<GroupSetting, Value>
}

export interface Channel {
  readonly id: number
  name: string
  description: string
  isPrivate: boolean
  isWebPublic: boolean
  isShared: boolean
  isArchived: boolean
  isDefault: boolean
  topicsPolicy: string
  readonly settings: Record<ChannelSetting, Value>
  /** Deactivated people stay in it. */
  readonly subscribers: Set<number>
  /** All users who are or were subscribed. */
  readonly ever: Set<number>
}

export interface Message {
  readonly id: number
  /** Null: direct. */
  readonly channel: number | null
  /** The users who received it when it was sent. */
  readonly holders: ReadonlySet<number>
}

/** A profile field. */
export interface Field {
  /** The words of a list of options; null: it is a text. */
  choices: ReadonlyArray<string> | null
  readonly isEditable: boolean
}

/** What there is to say of a person. */
export interface Said {
  /** null: they were never given another name. */
  fullName: string | null
  readonly profile: Map<number, string>
}

export interface State {
  readonly fields: Map<number, Field>
  readonly said: Map<number, Said>
  readonly users: Map<number, User>
  /** The groups that users have made; members of system groups follow from roles. */
  readonly groups: Map<number, Group>
  readonly channels: Map<number, Channel>
  readonly settings: Record<RealmSetting, Value>
  readonly messages: Map<number, Message>
}

export const emptyState = (): State => ({
  fields: new Map(),
  said: new Map(),
  users: new Map(),
  groups: new Map(),
  channels: new Map(),
  settings: {
    can_add_subscribers_group: system.members,
    can_create_public_channel_group: system.members,
    can_create_private_channel_group: system.members,
    can_create_web_public_channel_group: system.owners,
    can_create_groups: system.members,
    can_manage_all_groups: system.owners,
    can_set_delete_message_policy_group: system.moderators,
    can_set_topics_policy_group: system.members,
  },
  messages: new Map(),
})

export const saidOf = (state: State, user: number): Said => {
  const said = state.said.get(user) ?? { fullName: null, profile: new Map() }
  state.said.set(user, said)
  return said
}

const only = (id: number): Value => ({ direct_members: [id], direct_subgroups: [] })

/** The default permissions of a channel that `creator` makes. */
export const newChannelSettings = (creator: number | null): Record<ChannelSetting, Value> => ({
  can_add_subscribers_group: system.nobody,
  can_administer_channel_group: creator === null ? system.nobody : only(creator),
  can_delete_any_message_group: system.nobody,
  can_delete_own_message_group: system.nobody,
  can_move_messages_out_of_channel_group: system.nobody,
  can_move_messages_within_channel_group: system.nobody,
  can_remove_subscribers_group: system.administrators,
  can_resolve_topics_group: system.nobody,
  can_send_message_group: system.everyone,
  can_subscribe_group: system.nobody,
})

/** The default permissions of a group. */
export const newGroupSettings = (creator: number): Record<GroupSetting, Value> => ({
  can_add_members_group: only(creator),
  can_join_group: system.nobody,
  can_leave_group: system.everyone,
  can_manage_group: only(creator),
  can_mention_group: system.everyone,
  can_remove_members_group: only(creator),
})

export const join = (channel: Channel, user: number): void => {
  channel.subscribers.add(user)
  channel.ever.add(user)
}

/** The value of a key that the map must have. */
export const must = <K, V>(map: ReadonlyMap<K, V>, key: K): V => {
  const found = map.get(key)
  if (found === undefined) throw new Error(`the model does not know ${String(key)}`)
  return found
}
