/**
 * How each row moves a realm's projection (I12): what the row says is so from its position on. Rows that only tell
 * somebody what has long been so change nothing. Called by Realm.apply alone.
 */
import type { LogRow } from "../../events/event.ts"
import { ChannelId, type UserId } from "../../ids.ts"
import { presentFields } from "../../json.ts"
import type { Realm } from "../realm/realm.ts"
import { withRealmSetting } from "../realm/realm-settings.ts"
import type { ChannelChange, ChannelRecord, GroupRecord, UserRecord } from "../realm/records.ts"
import { withSubscriptionProperty } from "../realm/subscription-settings.ts"
import { withUserSetting } from "../realm/user-settings.ts"
import { type Role, sortedIds } from "../realm/values.ts"
import {
  type ChannelFolderPayload,
  readAccountState,
  readApiKey,
  readChannelFolder,
  readDefaultStreamGroups,
  readDefaultStreams,
  readRealm,
  readRealmUser,
  readStream,
  readSubscription,
  readUserGroup,
  readUserSettings,
  type StreamPayload,
  type UserGroupPayload,
} from "./payloads.ts"

type Applied = (realm: Realm, row: LogRow) => void

const changeUser = (realm: Realm, id: UserId, changes: (user: UserRecord) => Partial<UserRecord>): void => {
  const user = realm.users.get(id)
  if (user !== undefined) realm.setUser({ ...user, ...changes(user) })
}

/** The channel from a row on that says so. */
export const withChannelChange = (channel: ChannelRecord, { permissions, ...set }: ChannelChange): ChannelRecord => ({
  ...channel,
  ...presentFields(set),
  permissions: { ...channel.permissions, ...permissions },
})

const changeChannel = (realm: Realm, payload: Extract<StreamPayload, { readonly op: "update" }>): void => {
  const known = realm.channels.get(payload.channel_id)
  if (known === undefined) return
  if ("property" in payload) return realm.setChannel({ ...known, first_message_id: payload.value })
  realm.setChannel(withChannelChange(known, payload.set))
}

const stream: Applied = (realm, row) => {
  const payload = readStream(row.payload)
  switch (payload.op) {
    case "create":
      // Also sent to a user who comes to see an old channel: there is nothing new to it then.
      if (!realm.channels.has(payload.channel.id)) realm.setChannel(payload.channel)
      return
    case "update":
      return changeChannel(realm, payload)
    case "archive":
    case "unarchive":
      return realm.setChannel(payload.channel)
    case "delete":
      return
  }
}

const subscription: Applied = (realm, row) => {
  const payload = readSubscription(row.payload)
  const { subscriptions } = realm
  if (payload.op === "add" && payload.returned === undefined) {
    const channel = payload.channel.id
    const users = payload.added.map(({ user_id }) => user_id)
    subscriptions.addAll(channel, users, { opened: row.position, closed: null })
    for (const { user_id, settings } of payload.added) subscriptions.setSettings(user_id, channel, settings)
  } else if (payload.op === "remove") {
    subscriptions.closeAll(payload.channel_id, payload.user_ids, row.position)
  } else if (payload.op === "update") {
    const [user, channel] = [payload.user_id, payload.channel_id]
    const known = subscriptions.settings(user, channel)
    if (known !== undefined)
      subscriptions.setSettings(user, channel, withSubscriptionProperty(known, payload.property, payload.value))
  }
}

/** A deactivated user's new role is a span of no length: it is what they will come back with. */
const changeRole = (realm: Realm, user: UserId, role: Role, position: number): void => {
  const closed = realm.isActive(user) ? null : position
  realm.roles.close(user, position)
  realm.roles.add(user, role, { opened: position, closed })
  changeUser(realm, user, () => ({ role }))
}

const realmUser: Applied = (realm, row) => {
  const payload = readRealmUser(row.payload)
  if (payload.op === "add") {
    realm.setUser(payload.user)
    realm.roles.add(payload.user.id, payload.user.role, { opened: row.position, closed: null })
    return
  }
  if ("role" in payload) return changeRole(realm, payload.user_id, payload.role, row.position)
  if (!("is_active" in payload)) return
  const user = payload.user_id
  if (payload.is_active) {
    const role = realm.roles.last(user)?.role
    if (role !== undefined) realm.roles.add(user, role, { opened: row.position, closed: null })
    for (const channel of payload.channel_ids) {
      realm.subscriptions.add(ChannelId(channel), user, { opened: row.position, closed: null })
    }
    return
  }
  realm.roles.close(user, row.position)
  for (const channel of realm.subscriptions.channelsEver(user)) {
    if (realm.isSubscribed(channel, user)) realm.subscriptions.close(channel, user, row.position)
  }
}

const realmRow: Applied = (realm, row) => {
  const payload = readRealm(row.payload)
  if (payload.op === "update") realm.setSettings(withRealmSetting(realm.settings, payload.key, payload.value))
  else realm.setDeactivated(payload.op === "deactivated")
}

/** Sorted, each once. */
export const joined = <Id extends number>(ids: ReadonlyArray<Id>, more: ReadonlyArray<Id>): ReadonlyArray<Id> =>
  sortedIds([...ids, ...more])
export const without = <Id extends number>(ids: ReadonlyArray<Id>, gone: ReadonlyArray<Id>): ReadonlyArray<Id> => {
  const left = new Set(gone)
  return ids.filter((id) => !left.has(id))
}

type GroupChange = Exclude<UserGroupPayload, { readonly group: GroupRecord }>

const changedGroup = (group: GroupRecord, payload: GroupChange): Partial<GroupRecord> => {
  switch (payload.op) {
    case "update": {
      const { permissions, ...set } = payload.set
      return { ...presentFields(set), permissions: { ...group.permissions, ...permissions } }
    }
    case "add_members":
      return { members: joined(group.members, payload.user_ids) }
    case "remove_members":
      return { members: without(group.members, payload.user_ids) }
    case "add_subgroups":
      return { subgroups: joined(group.subgroups, payload.subgroup_ids) }
    case "remove_subgroups":
      return { subgroups: without(group.subgroups, payload.subgroup_ids) }
  }
}

const userGroup: Applied = (realm, row) => {
  const payload = readUserGroup(row.payload)
  if ("group" in payload) return realm.groups.set(payload.group)
  const known = realm.groups.get(payload.group_id)
  if (known === undefined || known.is_system || ("stays" in payload && payload.stays === true)) return
  realm.groups.set({ ...known, ...changedGroup(known, payload) })
}

const changeFolder = (realm: Realm, payload: Exclude<ChannelFolderPayload, { readonly op: "add" }>): void => {
  if (payload.op === "update") {
    const known = realm.folders.get(payload.folder_id)
    if (known !== undefined) realm.folders.set(known.id, { ...known, ...presentFields(payload.set) })
    return
  }
  for (const [order, id] of payload.order.entries()) {
    const known = realm.folders.get(id)
    if (known !== undefined) realm.folders.set(id, { ...known, order })
  }
}

const channelFolder: Applied = (realm, row) => {
  const payload = readChannelFolder(row.payload)
  if (payload.op === "add") realm.folders.set(payload.folder.id, payload.folder)
  else changeFolder(realm, payload)
}

const defaultStreams: Applied = (realm, row) => {
  const { channel_ids, told } = readDefaultStreams(row.payload)
  if (told === true) return
  const defaults = new Set(channel_ids)
  for (const channel of [...realm.channels.values()]) {
    const is_default = defaults.has(channel.id)
    if (channel.is_default !== is_default) realm.setChannel({ ...channel, is_default })
  }
}

const defaultStreamGroups: Applied = (realm, row) => {
  const { groups, told } = readDefaultStreamGroups(row.payload)
  if (told !== true) realm.setDefaultGroups(groups)
}

const userSettings: Applied = (realm, row) => {
  const { user_id, property, value } = readUserSettings(row.payload)
  changeUser(realm, user_id, (user) => ({ settings: withUserSetting(user.settings, property, value) }))
}

const accountState: Applied = (realm, row) => {
  const { user_id, must_reset } = readAccountState(row.payload)
  changeUser(realm, user_id, () => ({ must_reset_password: must_reset }))
}

const apiKey: Applied = (realm, row) => {
  const { user_id, key_version } = readApiKey(row.payload)
  changeUser(realm, user_id, () => ({ key_version }))
}

const types: ReadonlyMap<string, Applied> = new Map([
  ["stream", stream],
  ["subscription", subscription],
  ["realm_user", realmUser],
  ["realm", realmRow],
  ["user_group", userGroup],
  ["channel_folder", channelFolder],
  ["default_streams", defaultStreams],
  ["default_stream_groups", defaultStreamGroups],
  ["user_settings", userSettings],
  ["account_state", accountState],
  ["api_key", apiKey],
])

export const applyRow: Applied = (realm, row) => types.get(row.type)?.(realm, row)
