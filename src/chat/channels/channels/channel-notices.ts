/** The notices that Notification Bot writes about a channel: it was made, changed in some way, or archived. */

import { isSameSetting, namedMembers, shownSetting } from "../../ground/permissions/permission-values.ts"
import {
  emptyTopicDisplayName,
  type GroupSetting,
  type SystemGroupName,
  systemGroupName,
} from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import type { ChannelRecord, TopicsPolicy, UserRecord } from "../../ground/realm/records.ts"
import { fenceAround, nameChannel, strongName } from "../../sending/notices/names-in-notices.ts"
import { channelEventsTopic, type Notice, silentMention } from "../../sending/notices/notices.ts"
import { channelFinder, publicAnd } from "../../text/markdown/find-names.ts"
import { mostCounted } from "./channel-store.ts"

const newChannelsTopic = "new channels"

/** Quotes a text that cannot end the quotation. */
const quote = (text: string): string => {
  const fence = fenceAround(text, 2)
  return `${fence} quote\n${text === "" ? "*No description.*" : text}\n${fence}`
}

const privacyOf = ({ is_private, is_web_public, history_shared }: ChannelRecord): string => {
  if (is_web_public) return "Web-public"
  if (!is_private) return "Public"
  return history_shared ? "Private, shared history" : "Private, protected history"
}

/** For how long messages are kept, in words; null: as the organization has it, below 0: for ever. */
export const retentionName = (days: number | null): string => {
  if (days === null) return "as the organization has it"
  if (days < 0) return "forever"
  return days === 1 ? "1 day" : `${days} days`
}

/** What a shorter time does, while it can still be taken back; empty where nothing is deleted by it. */
export const retentionWarning = (older: number): string => {
  if (older === 0) return ""
  const many = older > mostCounted ? `more than ${mostCounted}` : older
  return `\n\nMessages that are older (now ${many}) are deleted in 24 hours.`
}

const policies: Readonly<Record<TopicsPolicy, string>> = {
  inherit: "Automatic",
  allow_empty_topic: `*${emptyTopicDisplayName}* topic allowed`,
  disable_empty_topic: `No *${emptyTopicDisplayName}* topic`,
  empty_topic_only: `Only *${emptyTopicDisplayName}* topic allowed`,
}

const systemGroupTitles: Readonly<Record<SystemGroupName, string>> = {
  "role:internet": "Everyone on the internet",
  "role:everyone": "Everyone",
  "role:members": "Everyone except guests",
  "role:fullmembers": "Full members",
  "role:moderators": "Moderators",
  "role:administrators": "Administrators",
  "role:owners": "Owners",
  "role:nobody": "Nobody",
}

const holdersOf = (rules: Rules, setting: GroupSetting): string => {
  const { direct_members, direct_subgroups } = namedMembers(shownSetting(setting, rules.isActive))
  const groups = direct_subgroups.map((id) => {
    const system = systemGroupName(id)
    return system === undefined ? `@_*${rules.groups.get(id)?.name ?? id}*` : systemGroupTitles[system]
  })
  const people = direct_members.flatMap((id) => {
    const user = rules.users.get(id)
    return user === undefined ? [] : [silentMention(user)]
  })
  return [...groups, ...people].join(", ")
}

export const fromTo = (from: string, to: string): string => `\n\n* **Old:** ${from}\n* **New:** ${to}`

const toChannel = (channel: ChannelRecord, content: string): Notice => ({
  channel,
  topic: channelEventsTopic(channel),
  content,
})

/** The first message of a new channel; with `announce`, also one in the organization's channel for announcements. */
export const creationNotices = (
  realm: Realm,
  actor: UserRecord,
  channel: ChannelRecord,
  announce: boolean,
): ReadonlyArray<Notice> => {
  const who = silentMention(actor)
  const description = `**Description:**\n${quote(channel.description)}`
  const own = toChannel(channel, `**${privacyOf(channel)}** channel created by ${who}. ${description}`)
  const board = [...realm.channels.values()].find(
    ({ id, is_archived }) => id === realm.settings.new_stream_announcements_stream_id && !is_archived,
  )
  // Not everybody may read the name of a private channel.
  if (!announce || board === undefined || channel.is_private) return [own]
  const topic = board.topics_policy === "empty_topic_only" ? "" : newChannelsTopic
  const name = nameChannel(channel, channelFinder(realm, publicAnd(board)))
  return [own, { channel: board, topic, content: `${who} created a new channel ${name}.` }]
}

/**
 * The notices in a channel about the changes that a user made to it. `older`: how many messages are older than they may be by
 * the new retention.
 */
export const changeNotices = (
  rules: Rules,
  actor: UserRecord,
  before: ChannelRecord,
  after: ChannelRecord,
  older = 0,
): ReadonlyArray<Notice> => {
  if (after.is_archived) return []
  const who = silentMention(actor)
  const told: Array<string> = []
  if (before.is_archived) told.push(`${who} brought this channel back from the archive.`)
  if (before.name !== after.name)
    told.push(`${who} renamed channel ${strongName(before.name)} to ${strongName(after.name)}.`)
  if (before.description !== after.description)
    told.push(
      `${who} changed the description for this channel.\n\n**Old description:**\n${quote(before.description)}\n\n**New description:**\n${quote(after.description)}`,
    )
  if (privacyOf(before) !== privacyOf(after))
    told.push(
      `${who} changed the access permissions for this channel from **${privacyOf(before)}** to **${privacyOf(after)}**.`,
    )
  const [could, can] = [before.permissions.can_send_message_group, after.permissions.can_send_message_group]
  if (!isSameSetting(could, can))
    told.push(
      `${who} changed the posting permissions for this channel:${fromTo(holdersOf(rules, could), holdersOf(rules, can))}`,
    )
  if (before.topics_policy !== after.topics_policy)
    told.push(
      `${who} changed the topics setting for this channel:${fromTo(policies[before.topics_policy], policies[after.topics_policy])}`,
    )
  if (before.retention_days !== after.retention_days)
    told.push(
      `${who} changed the message retention period for this channel:${fromTo(retentionName(before.retention_days), retentionName(after.retention_days))}${retentionWarning(older)}`,
    )
  return told.map((content) => toChannel(after, content))
}

/** The last notice in a channel, sent before it is archived. */
export const archivingNotice = (actor: UserRecord, channel: ChannelRecord): Notice =>
  toChannel(channel, `${silentMention(actor)} archived this channel.`)
