/**
 * The sections of register about flags: which messages are unread, by topic and conversation, and which are starred.
 * Tens of thousands of ids may be unread, so the database joins them to text that is put into the answer as it is.
 */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import type { JudgedSection, StoredSection } from "../../ground/kinds/section.ts"
import { type SectionView, wants } from "../../ground/kinds/section-view.ts"
import { showTopic } from "../../ground/realm/domain-values.ts"
import { Count, Id, SortedIds } from "../../ground/wire/wire-values.ts"
import { judgeFor } from "../history/message-access.ts"

const unread_message_ids = SortedIds.check(Schema.isMinLength(1))
const Unread = Schema.Struct({
  /** Without those of muted channels and topics. */
  count: Count,
  pms: Schema.Array(Schema.Struct({ other_user_id: Id, sender_id: Id, unread_message_ids })),
  /** `user_ids_string`: all participants. */
  huddles: Schema.Array(
    Schema.Struct({ user_ids_string: Schema.String.check(Schema.isPattern(/^\d+(,\d+){2,}$/)), unread_message_ids }),
  ),
  streams: Schema.Array(Schema.Struct({ stream_id: Id, topic: Schema.String, unread_message_ids })),
  mentions: SortedIds,
  /** There are more than 50,000, and the older ones are left out. */
  old_unreads_missing: Schema.Boolean,
}).annotate({ identifier: "UnreadMessages" })

const ids = Schema.String.check(Schema.isPattern(/^[\d,]+$/))
const readUnread = Schema.decodeUnknownSync(
  Schema.Struct({
    count: Schema.Number,
    streams: Schema.Array(Schema.Struct({ stream_id: Schema.Number, topic: Schema.String, ids })),
    pms: Schema.Array(Schema.Struct({ user_id: Schema.Number, ids })),
    huddles: Schema.Array(Schema.Struct({ user_ids: ids, ids })),
    mentions: Schema.NullOr(ids),
    missing: Schema.Boolean,
  }),
)

const nothing = { count: 0, pms: [], huddles: [], streams: [], mentions: [], old_unreads_missing: false }

/** Whether ids joined by commas ascend. Without a list of numbers: there are 50,000. */
const ascends = (ids: string): boolean => {
  let last = 0
  let id = 0
  for (let at = 0; at < ids.length; at++) {
    const character = ids.charCodeAt(at)
    if (character !== comma) id = 10 * id + character - zero
    else if (id <= last) return false
    else {
      last = id
      id = 0
    }
  }
  return id > last
}
const comma = ",".charCodeAt(0)
const zero = "0".charCodeAt(0)

/** The ids in ascending order: nearly always they are so already. */
const sorted = (ids: string): string =>
  ascends(ids)
    ? ids
    : ids
        .split(",")
        .map(Number)
        .sort((a, b) => a - b)
        .join(",")

/** A list of objects as text; `ids` are of the key `unread_message_ids`. */
const listOf = <A extends { readonly ids: string }>(items: ReadonlyArray<A>, fields: (item: A) => object): string =>
  `[${items
    .map((item) => `${JSON.stringify(fields(item)).slice(0, -1)},"unread_message_ids":[${sorted(item.ids)}]}`)
    .join(",")}]`

/** Whether a client keeps count of unread messages: it must get both kinds of events. */
export const wantsUnread = (view: Pick<SectionView, "fetch">): boolean =>
  wants(view, "message") && wants(view, "update_message_flags")

export const unreadSection: StoredSection = {
  name: "unread_msgs",
  keys: { unread_msgs: Unread },
  isWanted: wantsUnread,
  stored: "section_unread_v1",
  write: (value, { emptyTopicName }) => {
    const { count, streams, pms, huddles, mentions, missing } = readUnread(value)
    const members = [
      `"count":${count}`,
      `"pms":${listOf(pms, ({ user_id }) => ({ other_user_id: user_id, sender_id: user_id }))}`,
      `"huddles":${listOf(huddles, ({ user_ids }) => ({ user_ids_string: user_ids }))}`,
      `"streams":${listOf(streams, ({ stream_id, topic }) => ({ stream_id, topic: showTopic(topic, emptyTopicName) }))}`,
      `"mentions":[${mentions === null ? "" : sorted(mentions)}]`,
      `"old_unreads_missing":${missing}`,
    ]
    return [`"unread_msgs":{${members.join(",")}}`]
  },
  visitor: { unread_msgs: nothing },
}

/** The most starred messages that are listed: the newest. */
const mostStarred = 10_000
const readStarred = Schema.decodeUnknownSync(
  Schema.Array(Schema.Tuple([Schema.NullOr(idSchemas.channel), Schema.Array(Schema.Number)])),
)

export const starredSection: JudgedSection = {
  name: "starred_messages",
  keys: { starred_messages: SortedIds.check(Schema.isMaxLength(mostStarred)) },
  stored: "section_starred_v2",
  readFor: (value, { realm, user }) => {
    const { mayRead } = judgeFor(realm, user)
    const readable = readStarred(value).flatMap(([channel, ids]) => (mayRead(channel, true) ? ids : []))
    return { starred_messages: readable.sort((a, b) => a - b) }
  },
  visitor: { starred_messages: [] },
}
