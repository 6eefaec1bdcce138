/**
 * Messages by Notification Bot: what it tells a channel or a person of a change that somebody made. They are written in
 * the commit of the change itself, by a step after its rows; rules of who may send do not apply.
 */
import { toUsers } from "../../events/audience.ts"
import type { NewCalls } from "../../events/step.ts"
import type { ChannelId } from "../../ids.ts"
import { renderMarkdown } from "../markdown/markdown.ts"
import { channelRows } from "../messages/channel-rows.ts"
import { subscriberAudience } from "../permissions/sight.ts"
import { apiEmail } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"
import { notificationBot } from "../realm/system-bots.ts"

/** What is told, and where; `channel` is the record as it is after the change. */
export type Notice =
  | { readonly channel: ChannelRecord; readonly topic: string; readonly content: string }
  | { readonly user: UserRecord; readonly content: string }

/** Where a channel is told of what becomes of it. */
export const channelEventsTopic = ({ topics_policy }: ChannelRecord): string =>
  topics_policy === "empty_topic_only" ? "" : "channel events"

/** A mention that names without notifying. */
export const silentMention = ({ full_name, id }: UserRecord): string => `@_**${full_name}|${id}**`

const common = (realm: Realm, content: string) => {
  const bot = notificationBot(realm)
  return {
    sender_id: bot.id,
    content,
    rendered: renderMarkdown(content),
    client: "Internal",
    read_by_sender: true,
    payload: {
      sender: { id: bot.id, email: bot.email, full_name: bot.full_name, avatar_version: bot.avatar_version },
      client: "Internal",
      read_by_sender: true,
    },
  }
}

const toChannel = (realm: Realm, rules: Rules, notice: Extract<Notice, { readonly topic: string }>, first: boolean) => {
  const { channel, topic, content } = notice
  const base = common(realm, content)
  return {
    ...base,
    channel_id: channel.id,
    topic,
    audience: subscriberAudience(channel),
    payload: { ...base.payload, channel: { id: channel.id, name: channel.name, topic } },
    ...channelRows(rules, channel, first),
  }
}

const toPerson = (realm: Realm, user: UserRecord, content: string) => {
  const base = common(realm, content)
  const people = [user, notificationBot(realm)]
    .sort((a, b) => a.id - b.id)
    .map((person) => ({ id: person.id, email: apiEmail(realm, person), full_name: person.full_name }))
  const ids = people.map(({ id }) => id)
  return {
    ...base,
    member_key: ids.join(","),
    may_begin: true,
    audience: toUsers([user.id]),
    payload: { ...base.payload, people },
  }
}

/** The step that sends them, in this order; none where there are none. `rules`: as they are after the change. */
export const noticeSteps = (
  realm: Realm,
  notices: ReadonlyArray<Notice>,
  rules: Rules = realm,
): ReadonlyArray<NewCalls> => {
  if (notices.length === 0) return []
  const begun = new Set<ChannelId>()
  const calls = notices.map((notice) => {
    if ("user" in notice) return toPerson(realm, notice.user, notice.content)
    const { channel } = notice
    const isNext = begun.has(channel.id)
    begun.add(channel.id)
    // What the one before has changed of the channel is not told again.
    const told = isNext ? { ...channel, is_recently_active: true } : channel
    return toChannel(realm, rules, { ...notice, channel: told }, !isNext && channel.first_message_id === null)
  })
  return [{ fn: "send_messages_v2", calls }]
}
