/**
 * A new account is given the newest messages of its channels, and direct messages by Welcome Bot, in the commit that
 * makes it. Some clients crash for a user who has no message at all. The second message, where there is one,
 * is what the organization's administrators say to those who come.
 */
import type { CommandStep } from "../../../events/step.ts"
import { ChannelId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { welcomeBot } from "../../ground/realm/system-bots.ts"
import { type Notice, noticeSteps } from "../../sending/notices/notices.ts"
import { giveInitialHistory } from "./initial-history.ts"

/** The limit for all of the channels together. */
const mostOldMessages = 1000

const greeting = `Welcome! Messages here are sent to channels, and each message of a channel belongs to a topic.

What was said before you came is there for you to read. This is a direct message: nobody but you sees it. \
I am a program and do not answer.`

/** The message with a text of the administrators. */
export const customWelcome = (realm: Realm, user: UserRecord, content: string) => ({
  user,
  from: welcomeBot(realm),
  content,
})

/** Who has come, for those in the channel that the organization has chosen for that. A name has no backtick, so as code it is only that. */
const announcement = (realm: Realm, { full_name, is_bot }: UserRecord): ReadonlyArray<Notice> => {
  const channel = realm.channels.get(ChannelId(realm.settings.signup_announcements_stream_id))
  if (is_bot || channel === undefined || channel.is_archived) return []
  const topic = channel.topics_policy === "empty_topic_only" ? "" : "signups"
  return [{ channel, topic, content: `\`${full_name}\` joined this organization.` }]
}

/**
 * These steps must come after the rows that make the account and subscribe it to the channels. Where a channel's history is
 * not shared, it begins for them with their account.
 */
export const welcomeSteps = (
  realm: Realm,
  user: UserRecord,
  channels: ReadonlyArray<ChannelRecord>,
  text = realm.settings.welcome_message_custom_text,
): ReadonlyArray<CommandStep> => {
  const shared = channels.filter((channel) => channel.history_shared).map(({ id }) => id)
  return [
    ...(shared.length === 0 ? [] : [giveInitialHistory(user.id, shared, mostOldMessages)]),
    ...noticeSteps(realm, [
      { user, from: welcomeBot(realm), content: greeting },
      ...(text.trim() === "" ? [] : [customWelcome(realm, user, text)]),
      ...announcement(realm, user),
    ]),
  ]
}
