/**
 * The kinds of sources of a search. A source is a range of messages that an index has in the order of ids and of which
 * the reader may see all, or of which it is asked for each (`access`). Each kind is one value, listed in `sourceKinds`: what its
 * messages are, and the parts of the statements that look at them, about a message `m` and a source `s` of the statement.
 */

import type { BindParameter } from "../walk/bind-parameters.ts"
import { heldBySpan, isHeldSql, isKeptSql } from "../walk/held-messages-store.ts"
import { isHeldMoved, mayHave, personallyHas, readFromStart } from "../walk/read-state-store.ts"
import type { Search } from "../walk/search.ts"
import { conditionsSql, integers, memberKey as memberKeySql } from "../walk/search-conditions-store.ts"
import type { IdRange } from "../walk/search-walk.ts"

export interface SourceKind {
  /** How statements call it. */
  readonly name: string
  /** The place that has all of its messages now: `of` is its id. null: they are in other places, or in any. */
  readonly place: "channel" | "conversation" | null
  /** Rows about messages, whatever place these are in: the reader's own, of which there is one source, or kept places. */
  readonly isOwn: boolean
  /**
   * Whether a search for unread messages asks for each whether it is unread. Else the source lies where unread messages
   * are: all are, but for those that were read from the start.
   */
  readonly asksWhetherUnread: boolean
  /** The kind that takes the place of this one where some of the messages may have been read; absent: it stays. */
  readonly partlyRead?: SourceKind
  /** The messages from `s.low` up to but not including `s.high`, and by what they are ordered: their ids. */
  readonly from: string
  readonly orderedBy: string
  /** The condition that finds them, with an index that has them in the order of ids. */
  readonly within: (search: Search, bind: BindParameter) => string
  /**
   * The condition that a message must fulfil for the reader to see it there. Where it is not asked whether they hold
   * it, they may have lost the place after the sources were found: so nothing counts that came there since.
   */
  readonly access: (search: Search, bind: BindParameter) => string
}

export interface SearchSource extends IdRange {
  readonly kind: SourceKind
  /** The id of the channel or conversation; 0 for the reader's personal rows, and for the realm. */
  readonly of: number
  /** Only messages that came into the channel before this position. */
  readonly before: number
  /** Only these messages. */
  readonly listed?: ReadonlyArray<number>
}

type SourceKindParts = Pick<SourceKind, "name" | "within" | "access"> & Partial<SourceKind>

const sourceKind = (parts: SourceKindParts): SourceKind => ({
  place: null,
  isOwn: false,
  asksWhetherUnread: false,
  from: "message m where m.realm_id = $1::integer and m.id >= s.low and m.id < s.high",
  orderedBy: "m.id",
  ...parts,
})

/** Messages of other places are found too, so it is asked for each whether it is of those of the search. */
const ofPlaces = ({ channels, memberKey, direct }: Search, bind: BindParameter): string =>
  [
    "true",
    ...(channels === null ? [] : [`coalesce(m.channel_id in (${integers(channels, bind)}), false)`]),
    ...(memberKey === null ? [] : [`coalesce(${memberKeySql} = ${bind(memberKey)}::text, false)`]),
    ...(direct === null ? [] : [`(m.conversation_id is not null) = ${bind(direct)}::boolean`]),
  ].join(" and ")

/** The flag that an index may know of. What is unread is looked for where it may be. */
const flagOf = ({ flags }: Search) => (flags.includes("unread") ? undefined : flags[0])

/** The condition of the search that the index used for a place's messages has. */
const indexed = (search: Search): string => {
  const flag = flagOf(search)
  const [part] = search.parts
  if (flag !== undefined) return ` and ${mayHave[flag] ?? "true"}`
  return part === undefined ? "" : ` and m.${part}`
}

const inConversation = (search: Search): string => `m.conversation_id = s.of${indexed(search)}`

const ofChannel = "m.channel_id = s.of::integer"
const inChannel = (search: Search, bind: BindParameter): string => {
  const { topic, sender, parts } = search
  if (flagOf(search) !== undefined) return `${ofChannel}${indexed(search)}`
  if (topic !== null) return `${ofChannel} and m.topic_folded = ${bind(topic)}::text`
  if (parts.length > 0) return `${ofChannel}${indexed(search)}`
  return sender === null ? ofChannel : `${ofChannel} and m.sender_id = ${bind(sender)}::integer`
}

/** The condition that a message came before the sources were found. A moved one is unread where it was sent. */
const cameBefore = ({ flags }: Search): string =>
  `m.channel_since < s.before${flags.includes("unread") ? " and m.moved_from is null" : ""}`

/** All messages, of which the reader holds some. */
const realm = sourceKind({
  name: "realm",
  asksWhetherUnread: true,
  within: () => "true",
  access: (search, bind) => `${ofPlaces(search, bind)} and ${isHeldSql}`,
})

/** A range of a channel that is subscribed to all the time, or of one whose history the reader may read. */
const partlyReadChannel = sourceKind({
  name: "partlyReadChannel",
  place: "channel",
  asksWhetherUnread: true,
  within: inChannel,
  access: cameBefore,
})
const channel: SourceKind = {
  ...partlyReadChannel,
  name: "channel",
  asksWhetherUnread: false,
  partlyRead: partlyReadChannel,
}

/** Several subscriptions to a channel. There are other messages between them. */
const spans = sourceKind({
  name: "spans",
  place: "channel",
  within: inChannel,
  access: () => `m.channel_since < s.before and ${heldBySpan}`,
})

/** Moved into the channel during a subscription, which says nothing about their ids. */
const moved = sourceKind({
  name: "moved",
  place: "channel",
  within: () => `${ofChannel} and m.channel_since <> m.id`,
  access: () => heldBySpan,
})

/** Kept from the channel, which they have left: held there, and elsewhere now. */
const keptFrom = sourceKind({
  name: "keptFrom",
  isOwn: true,
  asksWhetherUnread: true,
  from: `kept_place k join message m on m.realm_id = k.realm_id and m.id = k.message_id
              where k.realm_id = $1::integer and k.message_id >= s.low and k.message_id < s.high`,
  orderedBy: "k.message_id",
  within: () => "k.channel_id = s.of::integer",
  access: (search, bind) => `${isKeptSql} and ${ofPlaces(search, bind)}`,
})

/** Sent in the channel, and elsewhere now. */
const movedAway = sourceKind({
  name: "movedAway",
  asksWhetherUnread: true,
  within: () => "m.moved_from = s.of::integer",
  access: (search, bind) => `${isHeldMoved} and ${ofPlaces(search, bind)}`,
})

const partlyReadConversation = sourceKind({
  name: "partlyReadConversation",
  place: "conversation",
  asksWhetherUnread: true,
  within: inConversation,
  access: () => "true",
})
const conversation: SourceKind = {
  ...partlyReadConversation,
  name: "conversation",
  asksWhetherUnread: false,
  partlyRead: partlyReadConversation,
}

/** The messages that the reader holds by rows of their own, in the order of the rows. */
const personal = sourceKind({
  name: "personal",
  isOwn: true,
  asksWhetherUnread: true,
  from: `personal_message p join message m on m.realm_id = p.realm_id and m.id = p.message_id
              where p.realm_id = $1::integer and p.user_id = $2::integer and p.message_id >= s.low and p.message_id < s.high`,
  orderedBy: "p.message_id",
  within: ({ flags }) => personallyHas(flags),
  access: ofPlaces,
})

export const sourceKinds = {
  realm,
  channel,
  partlyReadChannel,
  spans,
  moved,
  movedAway,
  keptFrom,
  conversation,
  partlyReadConversation,
  personal,
} as const

/** Those of some sources, each once, in one order: each order would be another statement. */
export const kindsOf = (sources: ReadonlyArray<SearchSource>): ReadonlyArray<SourceKind> =>
  [...new Set(sources.map(({ kind }) => kind))].sort((a, b) => (a.name < b.name ? -1 : 1))

/** The messages of a source of this kind; of one with a list those of the list. */
export const fromOf = ({ from }: SourceKind, isListed: boolean): string =>
  isListed
    ? `(select each.id::bigint from jsonb_array_elements_text(s.listed) as each(id)
              where each.id::bigint >= s.low and each.id::bigint < s.high) as l(id) cross join lateral (
              select x.* from message x where x.realm_id = $1::integer and x.id = l.id limit 1) as m where true`
    : from

/** The conditions that a message of a source must fulfil, beside `access`. */
export const conditionsOf = ({ asksWhetherUnread }: SourceKind, search: Search, bind: BindParameter): string =>
  asksWhetherUnread || !search.flags.includes("unread")
    ? conditionsSql(search, bind)
    : `${conditionsSql({ ...search, flags: search.flags.filter((flag) => flag !== "unread") }, bind)} and not ${readFromStart("m")}`
