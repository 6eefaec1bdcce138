/** The notice of a report that the moderators read: who reports whom and why, and the reported message as it is now. */

import { cut } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { type FindChannel, namePlace } from "../../sending/notices/names-in-notices.ts"
import { type Notice, silentMention } from "../../sending/notices/notices.ts"
import { longestNotice, quoted } from "../../sending/notices/quote-text.ts"
import { channelFinder, publicAnd } from "../../text/markdown/find-names.ts"

export const reportTypes = ["spam", "harassment", "inappropriate", "norms", "other"] as const
export type ReportType = (typeof reportTypes)[number]

const reasons: Readonly<Record<ReportType, string>> = {
  spam: "Spam",
  harassment: "Harassment",
  inappropriate: "Inappropriate content",
  norms: "Against the rules of the organization",
  other: "Another reason",
}

export interface MessageReport {
  readonly reporter: UserRecord
  readonly type: ReportType
  readonly description: string | undefined
  readonly message: {
    readonly id: number
    readonly sender: UserRecord
    readonly content: string
    /** null: a direct message. */
    readonly place: { readonly channel: ChannelRecord; readonly topic: string } | null
  }
}

const placeOf = ({ id, place }: MessageReport["message"], find: FindChannel): string =>
  place === null ? "in a direct message" : `in ${namePlace(place.channel, place.topic, find, id)}`

/** Each reported person has a topic, which keeps its end where their name is long. */
const topicOf = (sender: UserRecord, longest: number): string => {
  const end = "'s moderation requests"
  return longest >= end.length + "...".length
    ? cut(sender.full_name, longest - end.length, "...") + end
    : end.slice(3, 3 + longest)
}

/** The notice to the channel for moderation requests. `longest`: characters of a topic and of a message. */
export const reportNotice = (
  realm: Realm,
  channel: ChannelRecord,
  report: MessageReport,
  longest: { readonly topic: number; readonly message: number },
): Notice => {
  const { reporter, type, description, message } = report
  const seen = publicAnd(channel)
  const place = placeOf(
    message,
    channelFinder(realm, (each) => each.id === message.place?.channel.id || seen(each)),
  )
  const content = [
    `${silentMention(reporter)} has reported a message that ${silentMention(message.sender)} sent ${place}.`,
    `**Reason:** ${reasons[type]}`,
    ...(description === undefined ? [] : [quoted(description)]),
    "**The message:**",
    // Twice the length, because a character may be two code units: the cut below finds what is too long.
    quoted(message.content.slice(0, 2 * longestNotice)),
  ].join("\n\n")
  return {
    channel,
    topic: channel.topics_policy === "empty_topic_only" ? "" : topicOf(message.sender, longest.topic),
    content: cut(content, Math.min(longest.message, longestNotice), "\n\n[message truncated]"),
    ...(message.place === null ? {} : { links: message.place.channel }),
  }
}
