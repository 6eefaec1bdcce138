/**
 * Deletes messages that are older than their place keeps them: by the time at which they were sent, and by where they stand now.
 * A run takes a few groups of one topic or conversation each, and asks to run again soon while there is more, so that others write
 * in between; a run that is cut off is taken up by the next, which finds what is left.
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { Database, type DatabaseShape } from "../../../db/database.ts"
import { toUsers } from "../../../events/audience.ts"
import { type Command, change, done } from "../../../events/command.ts"
import type { NewCalls } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { wokenOnce } from "../../../jobs/job.ts"
import { linkedFileRow } from "../../ground/kinds/attachment-row.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import { removeUnlinked } from "../../reading/attachments/unclaimed-files.ts"
import { topicDeletion } from "../message-deletions/topic-deletion-steps.ts"
import { expiredMessages } from "./expiry-counts.ts"
import { databaseTime, type ExpiredGroup, findExpired, findLimited, findTerms, noteTerms } from "./expiry-store.ts"
import { type DueDeletion, dueTerms, nextTerms, wantedTerms } from "./retention-terms.ts"

const everyMilliseconds = 10 * 60_000
/** While there is more. */
export const soonMilliseconds = 500
/** Of one commit, which is one row of the log. */
const mostMessages = 500
/**
 * Of one run and organization: groups, and messages until which a further one is begun. Two large groups one after the other would
 * make a send wait for both: it comes while the first is written, and is committed with the second.
 */
const mostGroups = 20
const enoughMessages = 500
/** Two clocks that differ by more: one of them is wrong, and nobody knows which. */
const slackMilliseconds = 3600_000

const nothingExpired = { groups: [], done: [] }

const directSteps = ({ conversation_id, members, low, high, before }: ExpiredGroup): ReadonlyArray<NewCalls> => {
  const people = (members ?? "").split(",").map((id) => UserId(Number(id)))
  const messages = { channel_id: null, held_by: "receivers", ids: [] } as const
  const row = deleteMessageRows.change({ messages, topic: "" }, toUsers(people))
  return [{ fn: "expire_direct_v1", calls: [{ conversation_id, low, high, before, row, file_row: linkedFileRow }] }]
}

const stepsOf = (realm: Realm, group: ExpiredGroup): ReadonlyArray<NewCalls> => {
  if (group.channel_id === null) return directSteps(group)
  const channel = realm.channels.get(group.channel_id)
  if (channel === undefined || group.topic_folded === null) return []
  const { low, high, before: sent_before } = group
  return topicDeletion(realm, channel, { topic_folded: group.topic_folded, low, high, sent_before, most: mostMessages })
}

/** Of the realm as it is when it is written: a channel may have been deleted since. */
const expire = (group: ExpiredGroup): Command<Realm, void> => ({
  judge: (realm) => {
    const steps = stepsOf(realm, group)
    return steps.length === 0 ? done(undefined) : change(steps)
  },
})

/**
 * How far the runs have come that follow each other, by place, as a message or, of direct messages, a conversation: what was deleted a moment ago is in the way of who looks for the
 * next. Null: nothing is left there. Whatever has come there by a move meanwhile, the next round finds.
 */
const rounds = new WeakMap<RealmRuntime, Map<number | null, number | null>>()

const further = (runtime: RealmRuntime, due: ReadonlyArray<DueDeletion>): ReadonlyArray<DueDeletion> => {
  const round = rounds.get(runtime)
  return due.flatMap((each) => {
    const from = round?.get(each.channel_id)
    return from === null ? [] : [{ ...each, from: from ?? 0 }]
  })
}

/** Answers whether there may be more. */
const expireIn = Effect.fnUntraced(function* (database: DatabaseShape, runtime: RealmRuntime, now: number) {
  const { realm, writer } = runtime
  const known = yield* findTerms(database, realm.id)
  const terms = nextTerms(known, wantedTerms(realm), now)
  if (JSON.stringify(terms) !== JSON.stringify(known)) yield* noteTerms(database, realm.id, terms)
  const due = further(runtime, dueTerms(terms, now))
  const { groups, done: ended } =
    due.length === 0 ? nothingExpired : yield* findExpired(database, realm.id, due, mostGroups, mostMessages)
  const round = rounds.get(runtime) ?? new Map<number | null, number | null>()
  for (const { channel_id, conversation_id, low } of groups.toReversed()) round.set(channel_id, conversation_id ?? low)
  for (const place of ended) round.set(place, null)
  if (groups.length > 0) rounds.set(runtime, round)
  else rounds.delete(runtime)
  let messages = 0
  for (const group of groups) {
    if (messages >= enoughMessages) break
    messages += group.count
    yield* writer.submit(expire(group))
    expiredMessages[group.channel_id === null ? "direct" : "channel"] += group.count
    yield* removeUnlinked(realm.id, group.files)
  }
  if (messages > 0)
    yield* Effect.logInfo(`${messages} messages of realm ${realm.id} were as old as they may be, and are deleted`)
  return groups.length > 0
})

/** The database's clock is asked as well: a server whose own is wrong deletes nothing. Null: nothing can be said. */
const trustedTime = Effect.gen(function* () {
  if (!(yield* ClockWatch).isTrusted()) return null
  const own = (yield* Clock).now()
  const time = (yield* Realms).databaseTime() ?? (yield* databaseTime(yield* Database))
  if (Math.abs(own - time) < slackMilliseconds) return time
  yield* Effect.logWarning("the clocks of the server and of its database differ: no message is deleted for its age")
  return null
})

/** One run at a time that is right, in milliseconds. Answers whether there may be more. */
export const expireMessages = Effect.fnUntraced(function* (now: number) {
  const database = yield* Database
  const realms = yield* Realms
  let isMore = false
  for (const id of yield* findLimited(database)) {
    // One that cannot be loaded does not end it for those behind it.
    const more = yield* Effect.catchCause(
      Effect.flatMap(realms.get(id), (runtime) => expireIn(database, runtime, now)),
      (cause) => Effect.as(Effect.logError("messages that are too old", cause), false),
    )
    isMore ||= more
  }
  return isMore
})

export const expiryJob = wokenOnce({
  name: "messages that are too old",
  fallbackMilliseconds: everyMilliseconds,
  run: Effect.gen(function* () {
    const now = yield* trustedTime
    return now !== null && (yield* expireMessages(now)) ? soonMilliseconds : null
  }),
})
