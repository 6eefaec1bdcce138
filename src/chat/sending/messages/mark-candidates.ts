/**
 * The users whom a message to be sent marks. First `gatherMarkCandidates`, before the command: what may take long, in slices,
 * from the realm as it is then. Later `judgeMarks`, when the command is judged: whether the sender may mention them,
 * and who of them receives the message now.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { badRequest, type Checked, wildcardRefused } from "../../../api/errors.ts"
import { inSet, type UserSet, userSet } from "../../../events/event.ts"
import { UserId } from "../../../ids.ts"
import { forEachInSlices } from "../../../slices.ts"
import { holdsRealm, isOfSystemGroup, mayMentionGroup, mayReadMessage } from "../../ground/permissions/permissions.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { rangesOf } from "../../ground/realm/id-ranges.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import type { Mentions } from "../../text/markdown/context/rendered.ts"
import { alertWords } from "./alert-word-index.ts"
import type { MessageMarks } from "./message-marks.ts"
import { mutedUsers } from "./muted-user-index.ts"

/** Most receivers whom a wildcard may mention without the permission to mention many. */
const fewReceivers = 15

/** Users between two looks at the clock: each takes some 0.1 µs. */
const usersPerLook = 1000

/** Bots that get messages of channels to which they are not subscribed, if they are mentioned. */
const genericBot = 1

/** The receivers of whom a text speaks, before it is known who may send it to whom. */
export interface MarkCandidates {
  readonly mentions: Mentions
  /** The receivers in a mentioned group. */
  readonly inGroups: UserSet
  /** The receivers with an alert word in the text. */
  readonly alerted: UserSet
  /** Those who took part in the topic before; empty where the text does not mention them. */
  readonly participants: UserSet
}

const groupMembers = Effect.fnUntraced(function* (realm: Realm, { groups }: Mentions, receivers: UserSet) {
  const found = new Set<number>()
  for (const id of groups) {
    const { members, systems } = realm.groups.closureOf(id)
    const roles = systems.filter((system) => system !== "role:nobody")
    const [fewer, others] = members.length < receivers.length ? [members, receivers] : [receivers, members]
    yield* forEachInSlices(
      fewer,
      (user) => {
        if (inSet(others, UserId(user))) found.add(user)
      },
      usersPerLook,
    )
    if (roles.length === 0) continue
    yield* forEachInSlices(
      receivers,
      (each) => {
        const user = realm.users.get(UserId(each))
        if (user !== undefined && roles.some((role) => isOfSystemGroup(realm, user, role))) found.add(each)
      },
      usersPerLook,
    )
  }
  return userSet(found)
})

const alertedBy = Effect.fnUntraced(function* (realm: Realm, content: string, receivers: UserSet) {
  const found = new Set<UserId>()
  const owners: Array<ReadonlySet<UserId>> = []
  yield* forEachInSlices(realm.part(alertWords).ownersIn(fold(content)), (each) => owners.push(...each))
  for (const each of owners)
    yield* forEachInSlices(
      each,
      (user) => {
        if (inSet(receivers, user)) found.add(user)
      },
      usersPerLook,
    )
  return userSet(found)
})

/** `receivers`: who would receive the message now. */
export const gatherMarkCandidates = Effect.fnUntraced(function* (
  realm: Realm,
  text: { readonly content: string; readonly mentions: Mentions },
  receivers: UserSet,
  participants: UserSet,
) {
  const inGroups = yield* groupMembers(realm, text.mentions, receivers)
  const alerted = yield* alertedBy(realm, text.content, receivers)
  const marking: MarkCandidates = { mentions: text.mentions, inGroups, alerted, participants }
  return marking
})

const requireGroups = (realm: Realm, sender: UserRecord, { groups }: Mentions): Checked<void> => {
  for (const id of groups) {
    const group = realm.groups.get(id)
    if (group !== undefined && !mayMentionGroup(realm, sender, group))
      return Result.fail(badRequest(`You are not allowed to mention user group '${group.name}'.`))
  }
  return Result.succeed(undefined)
}

const requireFew = (realm: Realm, sender: UserRecord, count: number, of: "channel" | "topic"): Checked<void> =>
  count <= fewReceivers || holdsRealm(realm, sender, "can_mention_many_users_group")
    ? Result.succeed(undefined)
    : Result.fail(wildcardRefused(of))

/** Those of the users who receive the message, under the key of their mark; nothing where there are none. */
const mark = (key: "group" | "topic" | "alerted" | "muted", users: UserSet, receivers: UserSet) => {
  const found = users.filter((user) => inSet(receivers, UserId(user)))
  return found.length === 0 ? {} : ({ [key]: rangesOf(found) } satisfies MessageMarks)
}

/** The marks of a message, and the bots that receive it only because it mentions them. */
export interface JudgedMarks {
  /** Undefined where it marks nobody. */
  readonly marks: MessageMarks | undefined
  readonly bots: ReadonlyArray<UserId>
}

const nobodyMarked: Checked<JudgedMarks> = Result.succeed({ marks: undefined, bots: [] })

export const mentionsNobody = ({ users, groups, channelWildcard, topicWildcard }: Mentions): boolean =>
  users.length === 0 && groups.length === 0 && !channelWildcard && !topicWildcard

/**
 * `channel`: null for a direct message, whose wildcards need no permission. `counted`: how many a wildcard for all in the
 * channel is judged by.
 */
export const judgeMarks = (
  realm: Realm,
  sender: UserRecord,
  channel: ChannelRecord | null,
  receivers: UserSet,
  { mentions, inGroups, alerted, participants }: MarkCandidates,
  counted = receivers.length,
): Checked<JudgedMarks> => {
  // Not gathered before: whoever mutes the sender meanwhile has this message read, too.
  const muters = realm.part(mutedUsers).mutersAmong(receivers, sender.id)
  if (mentionsNobody(mentions) && inGroups.length + alerted.length + muters.length === 0) return nobodyMarked
  return Result.gen(function* () {
    yield* requireGroups(realm, sender, mentions)
    const byTopic = channel !== null && mentions.topicWildcard
    if (channel !== null && mentions.channelWildcard) yield* requireFew(realm, sender, counted, "channel")
    if (byTopic) yield* requireFew(realm, sender, participants.length, "topic")
    const named = mentions.users.filter((user) => inSet(receivers, user))
    const bots = mentions.users.filter((id) => {
      const user = realm.users.get(id)
      if (channel === null || user?.bot_type !== genericBot || !realm.isActive(id) || inSet(receivers, id)) return false
      // A mention lets no bot into a private channel.
      return mayReadMessage(realm, user, channel, true)
    })
    const marks: MessageMarks = {
      ...(named.length + bots.length === 0 ? {} : { mentioned: [...named, ...bots] }),
      ...mark("group", inGroups, receivers),
      ...(mentions.channelWildcard ? { channel: true } : {}),
      ...(byTopic ? mark("topic", participants, receivers) : {}),
      ...mark("alerted", alerted, receivers),
      ...mark("muted", muters, receivers),
    }
    return { marks: Object.keys(marks).length === 0 ? undefined : marks, bots }
  })
}
