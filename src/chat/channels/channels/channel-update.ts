/**
 * PATCH /streams/{stream_id}: all changes of one request are one command, and if any part is refused nothing is
 * changed. Users who newly see the channel get the channel before its changes; users who no longer see it are told only
 * that it is gone.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { id } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { UserReads } from "../../../db/reads.ts"
import { done, judgementOf, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { ChannelId } from "../../../ids.ts"
import { isSameJson } from "../../../json.ts"
import { channelAccessSteps, type LinksOfTopics, noAccessSteps } from "../../changing/message-moves/access-steps.ts"
import { findTopicLinks } from "../../changing/message-moves/topic-links-store.ts"
import { Bulk, type BulkCommand, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import { changeWidth, streamRows, withChannelChange } from "../../ground/kinds/stream-row.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { archivedMark, channelAudience, visibilityChangeRows } from "../../ground/permissions/channel-visibility.ts"
import { contentPermissions, maySetRetention, visibilityPermissions } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type Rules, withChangedRules } from "../../ground/realm/realm-rules.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelChange, ChannelRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { unarchive } from "./channel-archive.ts"
import { type ChannelUpdateRequest, namedTopics, type PlannedChannelUpdate, requireChanges } from "./channel-changes.ts"
import { changeNotices } from "./channel-notices.ts"
import { channelUpdateParams } from "./channel-params.ts"
import { countOlder, hasNamedTopics } from "./channel-store.ts"
import { defaultChannelRows, withoutChannel } from "./default-channels.ts"

type NewRows = ReadonlyArray<NewRow>

const rulesWith = (realm: Realm, channel: ChannelRecord): Rules =>
  withChangedRules(realm, { channels: new Map(realm.channels).set(channel.id, channel) })

const touchesVisibility = ({ is_private, is_web_public, permissions = {} }: ChannelChange): boolean =>
  is_private !== undefined || is_web_public !== undefined || visibilityPermissions.some((name) => name in permissions)

/** The rows of one change of the record, told to those who see the channel after it. */
const changeRows = (realm: Realm, before: ChannelRecord, after: ChannelRecord, set: ChannelChange): NewRows => {
  const rules = rulesWith(realm, after)
  return [
    ...(touchesVisibility(set) ? visibilityChangeRows(rulesWith(realm, before), rules, [before]) : []),
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
const planRows = (realm: Realm, channel: ChannelRecord, { returns, isDefault, changes }: PlannedChannelUpdate) => {
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

const update = (
  caller: Caller,
  id: ChannelId,
  wish: ChannelUpdateRequest,
  links: LinksOfTopics,
  older: number,
): BulkCommand<void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const actor = yield* requireActor(realm, caller)
      const channel = yield* requireChannel(realm, actor, id)
      const plan = planRows(realm, channel, yield* requireChanges(realm, actor, channel, wish))
      return { actor, channel, ...plan }
    })
    return judgementOf(planned, ({ actor, channel, record, rows, rest }): BulkJudgement<void> => {
      if (rows.length === 0) return done(undefined)
      const notices = changeNotices(realm, actor, channel, record, older)
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
  fresh: "onRefusal",
  summary: "Changes a channel, or unarchives it.",
  params: { streamId: id("stream_id", ChannelId), ...channelUpdateParams },
  reply: noFields,
  errors: ["REQUEST_VARIABLE_INVALID", "UNAUTHORIZED_PRINCIPAL", "CHANNEL_ALREADY_EXISTS", "EXPECTATION_MISMATCH"],
  run: Effect.fnUntraced(function* (caller, { params: { streamId, ...fields } }) {
    const bulk = yield* Bulk
    const database = yield* Database
    const config = yield* Config
    const asksTopics = fields.topicsPolicy === "empty_topic_only"
    const { realm } = yield* (yield* Realms).get(caller.realm)
    const allInEmptyTopic =
      asksTopics && realm.channels.has(streamId) && !(yield* hasNamedTopics(database, caller.realm, streamId))
    const wish: ChannelUpdateRequest = { fields, allInEmptyTopic, config, limits: config.limits }
    const isOpened = fields.historyShared === true || fields.isPrivate === false
    const channel = realm.channels.get(streamId)
    const links =
      isOpened && channel?.history_shared === false
        ? yield* findTopicLinks((yield* UserReads).begin(requesterName(caller)), realm, streamId)
        : {}
    const days = fields.retentionDays ?? realm.settings.message_retention_days
    const before = realm.now() - days * 24 * 3600_000
    // Whoever may not say it is refused without a count.
    const actor = realm.users.get(caller.user)
    const counts =
      fields.retentionDays !== undefined &&
      days > 0 &&
      channel !== undefined &&
      actor !== undefined &&
      maySetRetention(actor)
    const older = counts ? yield* countOlder(database, caller.realm, streamId, before) : 0
    yield* bulk.run(caller.realm, update(caller, streamId, wish, links, older))
    return dataReply()
  }),
})
