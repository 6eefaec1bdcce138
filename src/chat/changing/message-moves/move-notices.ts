/**
 * The notices that Notification Bot writes where messages were, and where they are moved to, after the move itself. A
 * private channel is named only in itself: those who read the notice elsewhere may not know of it.
 */
import type { NewCalls } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { rangesOf } from "../../ground/realm/id-ranges.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { namePlace } from "../../sending/notices/names-in-notices.ts"
import { noticeSteps, silentMention } from "../../sending/notices/notices.ts"
import { channelFinder, publicAnd } from "../../text/markdown/find-names.ts"
import { firstRow } from "./move-between-channels.ts"

export interface TopicPlace {
  readonly channel: ChannelRecord
  readonly topic: string
}

export interface MoveNotice {
  readonly mover: UserRecord
  readonly from: TopicPlace
  readonly to: TopicPlace
  /** Number of messages that are moved; "all": the whole topic. */
  readonly count: number | "all"
}

/** The places where notices of a move are wanted: the old one, the new one. */
export interface MoveNoticeTargets {
  readonly tellsOld: boolean
  readonly tellsNew: boolean
}

const nameOf = (realm: Realm, { channel, topic }: TopicPlace, readIn: TopicPlace): string => {
  const sees = publicAnd(readIn.channel)
  return sees(channel) ? namePlace(channel, topic, channelFinder(realm, sees)) : "a private channel"
}

const whatOf = (count: MoveNotice["count"]): string =>
  count === "all" ? "This topic was" : count === 1 ? "A message was" : `${count} messages were`

/** The notices of a move, the one in the new place first. */
export const moveNoticeSteps = (
  realm: Realm,
  told: MoveNotice,
  { tellsOld, tellsNew }: MoveNoticeTargets,
): ReadonlyArray<NewCalls> => {
  const { mover, from, to, count } = told
  const by = `by ${silentMention(mover)}.`
  const there = { ...to, content: `${whatOf(count)} moved here from ${nameOf(realm, from, to)} ${by}` }
  const left = count === "all" ? "" : " from this topic"
  const where = { ...from, content: `${whatOf(count)} moved${left} to ${nameOf(realm, to, from)} ${by}` }
  const first = { channel_id: from.channel.id, row: firstRow(realm, from.channel) }
  return [
    ...noticeSteps(realm, [...(tellsNew ? [there] : []), ...(tellsOld ? [where] : [])]),
    ...(tellsOld && from.channel.id !== to.channel.id ? [{ fn: "tell_first_again_v1", calls: [first] }] : []),
  ]
}

/** The subscribers of a channel who want notices of resolutions to be always read, or never: nearly nobody. */
const choicesIn = (realm: Realm, { id }: ChannelRecord) => {
  const choices: Readonly<Record<"always" | "never", Array<UserId>>> = { always: [], never: [] }
  for (const each of realm.subscribers(id)) {
    const user = realm.users.get(UserId(each))
    if (user === undefined) continue
    const { resolved_topic_notice_auto_read_policy: policy } = user.settings
    if (policy !== "except_followed") choices[policy].push(user.id)
  }
  return { always: rangesOf(choices.always), never: rangesOf(choices.never) }
}

/** The notice that a topic, which was called `before`, is resolved or not any more. The commit finds out who follows it. */
export const resolutionSteps = (
  realm: Realm,
  mover: UserRecord,
  place: TopicPlace,
  before: string,
  what: "resolved" | "unresolved",
): ReadonlyArray<NewCalls> => {
  const content = `${silentMention(mover)} has marked this topic as ${what}.`
  const choices = choicesIn(realm, place.channel)
  return noticeSteps(realm, [{ ...place, content }]).map(({ calls }) => ({
    fn: "send_resolution_v1",
    calls: calls.map((call) => ({ ...call, ...choices, folded_before: fold(before) })),
  }))
}
