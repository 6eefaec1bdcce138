/**
 * PATCH /streams/{stream_id}: all changes of one request are one command, and if any part is refused nothing is
 * changed. Users who newly see the channel get the channel before its changes; users who no longer see it are told only
 * that it is gone.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, data, nothing, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { id } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { Reads } from "../../../db/reads.ts"
import { done, judged, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { ChannelId } from "../../../ids.ts"
import { isSameJson } from "../../../json.ts"
import { channelAccessSteps, type LinksOfTopics, noAccessSteps } from "../../changing/message-moves/access-steps.ts"
import { findTopicLinks } from "../../changing/message-moves/topic-links-store.ts"
import { Bulk, type BulkCommand, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import { changeWidth, streamRows, withChannelChange } from "../../ground/kinds/stream-row.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { contentPermissions, sightPermissions } from "../../ground/permissions/permissions.ts"
import { archivedMark, channelAudience, sightChangeRows } from "../../ground/permissions/sight.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelChange, ChannelRecord } from "../../ground/realm/records.ts"
import { type Rules, withRules } from "../../ground/realm/rules.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { unarchive } from "./channel-archive.ts"
import { namedTopics, type Planned, requireChanges, type Wish } from "./channel-changes.ts"
import { changeNotices } from "./channel-notices.ts"
import { channelUpdateParams } from "./channel-params.ts"
import { hasNamedTopics } from "./channel-store.ts"
import { defaultChannelRows, withoutChannel } from "./default-channels.ts"

type Rows = ReadonlyArray<NewRow>

const rulesWith = (realm: Realm, channel: ChannelRecord): Rules =>
  withRules(realm, { channels: new Map(realm.channels).set(channel.id, channel) })

const touchesSight = ({ is_private, is_web_public, permissions = {} }: ChannelChange): boolean =>
  is_private !== undefined || is_web_public !== undefined || sightPermissions.some((name) => name in permissions)

/** The rows of one change of the record, told to those who see the channel after it. */
const changeRows = (realm: Realm, before: ChannelRecord, after: ChannelRecord, set: ChannelChange): Rows => {
  const rules = rulesWith(realm, after)
  return [
    ...(touchesSight(set) ? sightChangeRows(rulesWith(realm, before), rules, [before]) : []),
    streamRows.change(
      { op: "update", channel_id: before.id, name: before.name, set, ...archivedMark(before) },
      channelAudience(rules, after),
      { width: changeWidth(set) },
    ),
  ]
}

/** Whether some may read other messages of the channel than before. */
const turnsAccess = (before: ChannelRecord, after: ChannelRecord): boolean =>
  before.is_private !== after.is_private ||
  before.is_web_public !== after.is_web_public ||
  before.history_shared !== after.history_shared ||
  contentPermissions.some((name) => !isSameJson(before.permissions[name], after.permissions[name]))

/** The record after all changes, and the rows of each change, made from the record that the previous one has left. */
const planRows = (realm: Realm, channel: ChannelRecord, { returns, isDefault, changes }: Planned) => {
  let record: ChannelRecord = { ...channel, is_archived: channel.is_archived && !returns }
  const back = returns ? unarchive(realm, record) : null
  const rows: Array<NewRow> = [...(back?.rows ?? [])]
  // A private channel is never a default channel: it leaves the defaults first, or joins them last.
  if (changes.some(({ is_private }) => is_private === true)) rows.push(...withoutChannel(realm, channel.id))
  else if (!isDefault) rows.push(...defaultChannelRows(realm, channel.id, false))
  for (const set of changes) {
    const after = withChannelChange(record, set)
    rows.push(...changeRows(realm, record, after, set))
    record = after
  }
  if (isDefault) rows.push(...defaultChannelRows(realm, channel.id, true))
  return { record, rows, rest: back?.rest ?? null }
}

const update = (caller: Caller, id: ChannelId, wish: Wish, links: LinksOfTopics): BulkCommand<void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const actor = yield* requireActor(realm, caller)
      const channel = yield* requireChannel(realm, actor, id)
      const plan = planRows(realm, channel, yield* requireChanges(realm, actor, channel, wish))
      return { actor, channel, ...plan }
    })
    return judged(planned, ({ actor, channel, record, rows, rest }): BulkJudgement<void> => {
      if (rows.length === 0) return done(undefined)
      const notices = changeNotices(realm, actor, channel, record)
      const [before, after] = [rulesWith(realm, channel), rulesWith(realm, record)]
      const { first, last } = turnsAccess(channel, record)
        ? channelAccessSteps(realm, { before, after, by: actor.id, links }, id)
        : noAccessSteps
      const steps = [...first, ...rows, ...last, ...noticeSteps(realm, notices, after)]
      const turnsToEmptyTopic =
        record.topics_policy === "empty_topic_only" && channel.topics_policy !== "empty_topic_only"
      if (!turnsToEmptyTopic) return begin(steps, rest)
      // A message may arrive meanwhile, so only the commit can say for certain which topics there are.
      return begin(steps, rest, {
        answer: () => undefined,
        guard: { fn: "refuse_named_topics_v1", args: { channel_id: id } },
        refused: { named_topics: refused(namedTopics()) },
      })
    })
  },
})

export const patchStream = userEndpoint({
  method: "PATCH",
  path: "/streams/{stream_id:int}",
  summary: "Changes a channel, or unarchives it.",
  params: { streamId: id("stream_id", ChannelId), ...channelUpdateParams },
  reply: nothing,
  errors: ["UNAUTHORIZED_PRINCIPAL", "CHANNEL_ALREADY_EXISTS", "EXPECTATION_MISMATCH"],
  run: Effect.fnUntraced(function* (caller, { streamId, ...fields }) {
    const bulk = yield* Bulk
    const database = yield* Database
    const config = yield* Config
    const asksTopics = fields.topicsPolicy === "empty_topic_only"
    const { realm } = yield* (yield* Realms).get(caller.realm)
    const allInEmptyTopic =
      asksTopics && realm.channels.has(streamId) && !(yield* hasNamedTopics(database, caller.realm, streamId))
    const wish: Wish = { fields, allInEmptyTopic, config, limits: config.limits }
    const isOpened = fields.historyShared === true || fields.isPrivate === false
    const channel = realm.channels.get(streamId)
    const links =
      isOpened && channel?.history_shared === false
        ? yield* findTopicLinks((yield* Reads).begin(requesterName(caller)), realm, streamId)
        : {}
    yield* bulk.run(caller.realm, update(caller, streamId, wish, links))
    return data()
  }),
})
