/**
 * Messages by the program's own bots: Notification Bot tells a channel or a person of a change that a user made,
 * Welcome Bot greets a new account. They are sent in the commit of the change itself, by a step after its rows; the
 * rules of who may send do not apply.
 */
import { toUsers } from "../../../events/audience.ts"
import type { NewCalls } from "../../../events/step.ts"
import type { ChannelId } from "../../../ids.ts"
import type { ClaimedFile } from "../../ground/files/file-claims.ts"
import { subscriberAudience } from "../../ground/permissions/channel-visibility.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { notificationBot } from "../../ground/realm/system-bots.ts"
import { contentKindsOf } from "../../text/markdown/content-kinds.ts"
import { type AuthorVisibility, authorVisibility, publicAnd } from "../../text/markdown/find-names.ts"
import { textsOfCommand } from "../../text/markdown/render-text.ts"
import { channelRows } from "../messages/channel-rows.ts"
import { fileLinks, readsChannel } from "../messages/file-links.ts"
import { senderOf } from "../messages/wire-message.ts"

/** A message to a channel, whose record is the one after the change, or to a person. */
export type Notice =
  | {
      readonly channel: ChannelRecord
      readonly topic: string
      readonly content: string
      /** A channel that it links whoever may know of it. */
      readonly links?: ChannelRecord
      /** Uploaded files that it links: whoever may read it may read them. */
      readonly files?: ReadonlyArray<ClaimedFile>
    }
  | {
      readonly user: UserRecord
      readonly content: string
      /** The bot that sends it; Notification Bot if absent. */
      readonly from?: UserRecord
    }

/** The topic for notices about changes of a channel. */
export const channelEventsTopic = ({ topics_policy }: ChannelRecord): string =>
  topics_policy === "empty_topic_only" ? "" : "channel events"

/** A mention that does not notify the user. */
export const silentMention = ({ full_name, id }: UserRecord): string => `@_**${full_name}|${id}**`

/** Renders a notice. It links the channels that its readers may know of. */
type RenderNotice = (content: string, sees: AuthorVisibility) => string

/** The fields of a message that do not depend on where it goes. */
const messageBy = (bot: UserRecord, content: string, rendered: string) => ({
  sender_id: bot.id,
  content,
  rendered,
  ...contentKindsOf(rendered),
  client: "Internal",
  read_by_sender: true,
  payload: {
    sender: senderOf(bot, bot.email),
    client: "Internal",
    read_by_sender: true,
  },
})

const toChannel = (
  realm: Realm,
  rules: Rules,
  notice: Extract<Notice, { readonly topic: string }>,
  first: boolean,
  write: RenderNotice,
) => {
  const { channel, topic, content, links, files = [] } = notice
  const seen = publicAnd(channel)
  const rendered = write(content, (each) => each.id === links?.id || seen(each))
  const base = messageBy(notificationBot(realm), content, rendered)
  return {
    ...base,
    channel_id: channel.id,
    topic,
    topic_folded: fold(topic),
    audience: subscriberAudience(channel),
    payload: { ...base.payload, channel: { id: channel.id, name: channel.name, topic } },
    ...channelRows(rules, channel, first),
    ...fileLinks(files, (owner) => readsChannel(realm, channel, owner)),
  }
}

const toPerson = (realm: Realm, user: UserRecord, bot: UserRecord, content: string, write: RenderNotice) => {
  const base = messageBy(bot, content, write(content, authorVisibility(realm, user)))
  const people = [user, bot]
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

/** The step that sends the notices, in this order; empty if there are none. `rules`: the rules after the change. */
export const noticeSteps = (
  realm: Realm,
  notices: ReadonlyArray<Notice>,
  rules: Rules = realm,
): ReadonlyArray<NewCalls> => {
  if (notices.length === 0) return []
  const begun = new Set<ChannelId>()
  const render = textsOfCommand()
  const write: RenderNotice = (content, sees) => render(realm, sees, content)
  const calls = notices.map((notice) => {
    if ("user" in notice)
      return toPerson(realm, notice.user, notice.from ?? notificationBot(realm), notice.content, write)
    const { channel } = notice
    const isNext = begun.has(channel.id)
    begun.add(channel.id)
    // The notice before has made the channel recently active already.
    const told = isNext ? { ...channel, is_recently_active: true } : channel
    return toChannel(realm, rules, { ...notice, channel: told }, !isNext && channel.first_message_id === null, write)
  })
  return [{ fn: "send_messages_v5", calls }]
}
