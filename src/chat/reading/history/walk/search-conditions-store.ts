/**
 * The conditions of a search as SQL. Each distinct text is kept as a prepared statement, so every value is a parameter
 * (bind-parameters.ts), and lists travel as JSON.
 */
import type { ChannelId, RealmId, UserId } from "../../../../ids.ts"
import { topicPolicy } from "../../../ground/kinds/user-topic-row.ts"
import type { Realm } from "../../../ground/realm/realm.ts"
import { resolvedMark } from "../narrows/matcher.ts"
import type { Narrow } from "../narrows/narrow.ts"
import type { BindParameter } from "./bind-parameters.ts"
import { flagSql } from "./read-state-store.ts"
import type { MutingFilter, Search, SearchExclusions } from "./search.ts"
import { textConditions } from "./texts-store.ts"

/** By what it is judged whether a reader may see messages. */
export interface MessageJudge {
  readonly realm: Realm
  /**
   * By the rules at the time of the question. `channel`: the one in which the message is, null for a direct message;
   * `held`: whether the reader holds it there.
   */
  readonly mayRead: (channel: ChannelId | null, held: boolean) => boolean
}

export interface SearchScope {
  readonly realm: RealmId
  /** null: a visitor without an account, who holds no messages. */
  readonly user: UserId | null
  /**
   * The position of the projection. Permissions were checked there, and all senders and channels up to it are known, so
   * no search goes beyond.
   */
  readonly head: number
  readonly narrow: Narrow
  /** Asked for each message that the tables know the reader to hold: of private channels that is not enough. */
  readonly judge: Pick<MessageJudge, "mayRead">
}

export const memberKey = `(select v.member_key from conversation v
    where v.realm_id = $1::integer and v.id = m.conversation_id)`

export const integers = (values: ReadonlyArray<number>, bind: BindParameter): string =>
  `select each::bigint from jsonb_array_elements_text(${bind(JSON.stringify(values))}::text::jsonb) as each`
const texts = (values: ReadonlyArray<string>, bind: BindParameter): string =>
  `select each from jsonb_array_elements_text(${bind(JSON.stringify(values))}::text::jsonb) as each`

/** Whether a message is of a conversation that one of these users is in. */
const includesOne = (users: ReadonlyArray<number>, bind: BindParameter): string =>
  `(m.conversation_id is not null and exists (
    select from (${integers(users, bind)}) as u(id) cross join lateral (
      select from conversation_member c
       where c.realm_id = $1::integer and c.user_id = u.id and c.conversation_id = m.conversation_id offset 0) as c))`

/** Whether it is one of all of them. */
const includesAll = (users: ReadonlyArray<number>, bind: BindParameter): string =>
  `(m.conversation_id is not null and not exists (
    select from (${integers(users, bind)}) as u(id) where not exists (
      select from conversation_member c
       where c.realm_id = $1::integer and c.user_id = u.id and c.conversation_id = m.conversation_id)))`

const isOfGroup = `(m.conversation_id is not null and ${memberKey} like '%,%,%')`
const isResolvedTopic = `starts_with(m.topic_folded, '${resolvedMark}')`

const policy = `coalesce((select t.policy from user_topic t where t.realm_id = $1::integer and t.user_id = $2::integer
    and t.channel_id = m.channel_id and t.topic_folded = m.topic_folded), 0)`
const isMuted = ({ channels }: MutingFilter, bind: BindParameter): string =>
  `(m.channel_id is not null and case ${policy} when ${topicPolicy.muted} then true
      when ${topicPolicy.unmuted} then false when ${topicPolicy.followed} then false
      else m.channel_id in (${integers(channels, bind)}) end)`

/** Comparing a field that a message does not have gives null, hence `is not true`. */
const unwantedSql = (unwanted: SearchExclusions, bind: BindParameter): ReadonlyArray<string> => [
  `(m.channel_id in (${integers(unwanted.channels, bind)})) is not true`,
  `(m.channel_id is not null and m.topic_folded in (${texts(unwanted.topics, bind)})) is not true`,
  `(m.sender_id in (${integers(unwanted.senders, bind)})) is not true`,
  `(m.conversation_id is not null and ${memberKey} in (${texts(unwanted.memberKeys, bind)})) is not true`,
  `(m.id in (${integers(unwanted.messages, bind)})) is not true`,
  ...(unwanted.including.length === 0 ? [] : [`not ${includesOne(unwanted.including, bind)}`]),
  ...(unwanted.groups.length === 0 ? [] : [`not (${isOfGroup} and ${includesOne(unwanted.groups, bind)})`]),
  ...unwanted.parts.map((part) => `not m.${part}`),
  ...unwanted.flags.map((flag) => `not ${flagSql[flag]}`),
]

// Not "exists": of many messages, all reactions might be read first.
const reacted = `((select r.message_id from reaction r
    where r.realm_id = $1::integer and r.message_id = m.id limit 1) is not null)`

/** The conditions that a message must fulfil, besides being in one of the search's sources. */
export const conditionsSql = (search: Search, bind: BindParameter): string => {
  const { topic, sender, message, including, isGroup, flags, parts, isResolved, isFollowed, muting } = search
  const { hasReaction, unwanted } = search
  return [
    "true",
    ...(topic === null ? [] : [`(m.channel_id is not null and m.topic_folded = ${bind(topic)}::text)`]),
    ...(sender === null ? [] : [`m.sender_id = ${bind(sender)}::integer`]),
    ...(message === null ? [] : [`m.id = ${bind(message)}::bigint`]),
    ...(including.length === 0 ? [] : [includesAll(including, bind)]),
    ...(isGroup ? [isOfGroup] : []),
    ...parts.map((part) => `m.${part}`),
    ...flags.map((flag) => flagSql[flag]),
    ...(isResolved === null ? [] : [`${isResolvedTopic} = ${isResolved}`]),
    ...(isFollowed === null ? [] : [`(${policy} = ${topicPolicy.followed}) = ${isFollowed}`]),
    ...(muting === null ? [] : [`${isMuted(muting, bind)} = ${muting.wanted}`]),
    ...(hasReaction === null ? [] : [`${reacted} = ${hasReaction}`]),
    ...(unwanted === null ? [] : unwantedSql(unwanted, bind)),
    // Last, because it takes longest.
    ...textConditions(search, bind),
  ].join(" and ")
}
