/**
 * The marks of a message: the users whom it mentions, by name, by a group or by a wildcard, and those of whose alert
 * words it contains one. The message's row and its line in the table hold the same marks. From them come the flags of a
 * message for each of its receivers: most receivers have the same ones, and share bytes.
 */
import * as Schema from "effect/Schema"
import type { EventReceiver } from "../../../events/encode.ts"
import { emptyUserSet, inSet, type UserSet, userSet } from "../../../events/event.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { idsMissing, idsOf, isEndless } from "../../ground/realm/id-ranges.ts"

/** Each is absent where it marks nobody. Sets of users are multiranges (realm/id-ranges.ts). */
export const MessageMarks = Schema.Struct({
  /** Mentioned by name: receivers, and bots that receive the message because of it. */
  mentioned: Schema.optionalKey(Schema.Array(idSchemas.user)),
  /** Receivers who are in a mentioned group. */
  group: Schema.optionalKey(Schema.String),
  /** Everybody who receives it. */
  channel: Schema.optionalKey(Schema.Literal(true)),
  /** Receivers who took part in the topic before. */
  topic: Schema.optionalKey(Schema.String),
  /** Receivers of whose alert words it contains one. */
  alerted: Schema.optionalKey(Schema.String),
  /**
   * Receivers who had muted its sender: they have read it. A notice that a topic is resolved most have read, so there it has
   * no ends: all have, but those between its ranges.
   */
  muted: Schema.optionalKey(Schema.String),
})
export type MessageMarks = typeof MessageMarks.Type

/** The marks of a message as sets, with what else decides its flags. */
export interface MarkSets {
  readonly mentioned: UserSet
  readonly topic: UserSet
  readonly alerted: UserSet
  readonly channel: boolean
  /** Whether it is read from the start by all but those in `otherwise`. */
  readonly isRead: boolean
  /** For most messages those who have read it from the start: its sender, if sent as read, and who had muted them. */
  readonly otherwise: UserSet
  /** Everybody whose flags may differ from those of other receivers. */
  readonly apart: UserSet
}

const rangeSet = (ranges: string | undefined): UserSet =>
  ranges === undefined ? emptyUserSet : Uint32Array.from(idsOf(ranges))

interface MarkedMessage {
  /** Has the message read already if `read_by_sender`. */
  readonly sender: { readonly id: UserId }
  readonly read_by_sender: boolean
  readonly marks?: MessageMarks
}

const unmarked = (otherwise: UserSet): MarkSets => {
  const [mentioned, topic, alerted] = [emptyUserSet, emptyUserSet, emptyUserSet]
  return { mentioned, topic, alerted, channel: false, isRead: false, otherwise, apart: otherwise }
}
const nobody = unmarked(emptyUserSet)

export const readMarks = ({ sender, read_by_sender, marks }: MarkedMessage): MarkSets => {
  // Nearly every message: each takes a part of what it costs to send one.
  if (marks === undefined) return read_by_sender ? unmarked(Uint32Array.of(sender.id)) : nobody
  const mentioned = userSet([...(marks.mentioned ?? []), ...idsOf(marks.group ?? "")])
  const topic = rangeSet(marks.topic)
  const alerted = rangeSet(marks.alerted)
  const { muted = "" } = marks
  const isRead = isEndless(muted)
  const ids = isRead ? idsMissing(muted) : idsOf(muted)
  const otherwise = read_by_sender && !isRead ? userSet([...ids, sender.id]) : Uint32Array.from(ids)
  const apart = userSet([...mentioned, ...topic, ...alerted, ...otherwise])
  return { mentioned, topic, alerted, channel: marks.channel === true, isRead, otherwise, apart }
}

export type MessageFlag =
  | "read"
  | "mentioned"
  | "stream_wildcard_mentioned"
  | "topic_wildcard_mentioned"
  | "has_alert_word"
  | "wildcard_mentioned"

/** The flags that a message had for a receiver when it was sent; who gets it by all_public_streams alone has none. */
export const flagsFor = (
  { mentioned, topic, alerted, channel, isRead, otherwise }: MarkSets,
  { user, viaPublicStreams }: Pick<EventReceiver, "user" | "viaPublicStreams">,
): ReadonlyArray<MessageFlag> => {
  if (viaPublicStreams) return []
  const byTopic = inSet(topic, user)
  const flags: Array<MessageFlag> = []
  if (inSet(otherwise, user) !== isRead) flags.push("read")
  if (inSet(mentioned, user)) flags.push("mentioned")
  if (channel) flags.push("stream_wildcard_mentioned")
  if (byTopic) flags.push("topic_wildcard_mentioned")
  if (inSet(alerted, user)) flags.push("has_alert_word")
  // The one flag that clients know from before there were two kinds.
  if (channel || byTopic) flags.push("wildcard_mentioned")
  return flags
}
