/**
 * The flags of a message `m` for a reader as SQL: for the conditions of searches and for what readers are shown. $1 is
 * the realm, $2 the reader. What makes a message unread is written at the head of chat/reading/flags/read-state.sql.
 */

import type { SearchedFlag } from "../narrows/matcher.ts"
import { heldBySpan, isKeptSql, ownSpan, personalRow } from "./held-messages-store.ts"

/** The channel in which the message was sent. */
const sentIn = "coalesce(m.moved_from, m.channel_id)"

/** The place in which the message was sent, as place_v1 makes it. */
export const placeSql = `place_v1(${sentIn}, m.conversation_id)`

/** A subquery that does not depend on the message, so a statement runs it once. */
const floor = `coalesce((select f.position from read_floor f
    where f.realm_id = $1::integer and f.user_id = $2::integer), 0)`

const isParticipant = `exists (select from conversation_member c
    where c.realm_id = $1::integer and c.user_id = $2::integer and c.conversation_id = m.conversation_id)`

/** Whether a message `m` was read from the start: the reader has sent it as read, or had muted its sender. */
export const readFromStart = (m: string): string =>
  `((${m}.sender_id = $2::integer and ${m}.read_by_sender) or coalesce(${m}.muted_for @> $2::integer, false))`

/** The reader's subscriptions of the channel in which `m` was sent, over time. */
const spanOfSending = `subscription_span s
      where s.realm_id = $1::integer and s.user_id = $2::integer and s.channel_id = ${sentIn}`

/** Whether the reader, who may have received the message elsewhere, holds it in the channel that it was moved to. */
export const isHeldMoved = `(m.moved_from is null
    or exists (select from ${ownSpan} and s.closed is null and s.opened <= m.channel_since))`

/** Whether the reader has received the message and it was not read from the start: it is unread until they read it. */
export const byNature = `(not ${readFromStart("m")}
    and case when m.channel_id is null then ${isParticipant}
        else exists (select from ${spanOfSending} and s.closed is null and s.opened <= m.id) and ${isHeldMoved} end)`

// Compared outside of the inner query, which else may compare all rows of the place before it takes one.
const isInRanges = `coalesce((select r.ranges from read_ranges r
    where r.realm_id = $1::integer and r.user_id = $2::integer and r.place = ${placeSql} and r.low <= m.id
    order by r.low desc limit 1) @> m.id, false)`

/** Whether a personal row `p` still says that the message is unread. */
const isMarkedUnread = `p.unread_since is not null and p.unread_since > ${floor}
      and (m.channel_id is null or not exists (select from subscription_span s
        where s.realm_id = $1::integer and s.user_id = $2::integer and s.channel_id in (m.channel_id, m.moved_from)
          and s.closed > p.unread_since))`

const isUnreadByRanges = `(${byNature} and m.id > ${floor} and not ${isInRanges})`
const isUnread = `(${isUnreadByRanges} or exists (${personalRow} and ${isMarkedUnread}))`

/** Whether the reader received the message when its wildcard counts: when it was sent, or before it was edited. */
const isAmongAll = `case when m.channel_id is null then ${isParticipant}
    else exists (select from subscription_span s
      where s.realm_id = $1::integer and s.user_id = $2::integer
        and s.channel_id = coalesce(m.wildcard_in, ${sentIn}) and s.opened <= coalesce(m.wildcard_at, m.id)
        and (s.closed is null or s.closed > coalesce(m.wildcard_at, m.id))) end`

/**
 * A bot that is mentioned where it is not subscribed receives the message, too; and an edit mentions those who hold the
 * message otherwise.
 */
const wildcardOr = (isNamed: string): string =>
  `(m.channel_wildcard and (${isAmongAll} or coalesce(m.wildcard_also @> $2::integer, false) or ${isNamed}))`
const isTopicWildcard = "coalesce(m.topic_wildcard @> $2::integer, false)"
const mentionedOr = (isNamed: string): string => `(${isNamed} or coalesce(m.group_mentioned @> $2::integer, false))`
const isNamed = `exists (${personalRow} and p.mentioned)`
const isAlerted = "coalesce(m.alerted @> $2::integer, false)"

/** Whether the message has a flag. */
export const flagSql: Readonly<Record<SearchedFlag, string>> = {
  unread: isUnread,
  starred: `exists (${personalRow} and p.starred)`,
  mentioned: `(${mentionedOr(isNamed)} or ${isTopicWildcard} or ${wildcardOr(isNamed)})`,
  alerted: isAlerted,
}

/**
 * The messages that may have a flag without a personal row. Written as the indexes of a channel's or conversation's
 * messages have it, so that a search looks at nothing else.
 */
export const mayHave: Readonly<Partial<Record<SearchedFlag, string>>> = {
  mentioned: "(m.channel_wildcard or m.group_mentioned is not null or m.topic_wildcard is not null)",
  alerted: "m.alerted is not null",
}

/**
 * The personal rows `p` of messages that may have all of these flags. Only such rows are looked at for stars, so what is
 * unread among them may be so without its row saying it. Of mentions nearly all are of messages that mention their user by
 * name; any other may be the only thing by which they still hold a message that mentions them otherwise and was moved.
 */
export const personallyHas = (flags: ReadonlyArray<SearchedFlag>): string => {
  if (flags.includes("starred")) return "p.starred"
  return flags.includes("unread") ? "p.unread_since is not null" : "true"
}

/** Whether the personal row `p`, where it is joined, names the reader: it is read once for all flags. */
const isNamedByRow = "coalesce(p.mentioned, false)"
const isWildcard = wildcardOr(isNamedByRow)

/** The flags on the wire with the condition of each, in their usual order; `p` is the reader's personal row, if any. */
const shownFlags: ReadonlyArray<readonly [flag: string, condition: string]> = [
  ["read", `not (${isUnreadByRanges} or coalesce(${isMarkedUnread}, false))`],
  ["starred", "p.starred"],
  ["collapsed", "p.collapsed"],
  ["mentioned", mentionedOr(isNamedByRow)],
  ["stream_wildcard_mentioned", isWildcard],
  ["topic_wildcard_mentioned", isTopicWildcard],
  ["has_alert_word", isAlerted],
  ["historical", `coalesce(p.historical, true) and not ${heldBySpan} and not ${isKeptSql}`],
  // The older name of both kinds of wildcards.
  ["wildcard_mentioned", `${isWildcard} or ${isTopicWildcard}`],
]

/** A list of the message's flags, as JSON. */
export const flagList = `to_json(array_remove(array[${shownFlags
  .map(([flag, condition]) => `case when ${condition} then '${flag}' end`)
  .join(",\n    ")}], null))`
