/** GET /messages/{message_id}/history: all versions of a message, the first one first. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, requesterKind, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, Unavailable } from "../../../api/errors.ts"
import { boolean, id, withDefault } from "../../../api/params.ts"
import { conflict, retryOnConflict } from "../../../conflict.ts"
import { UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { type ChannelId, MessageId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { nextSlice } from "../../../slices.ts"
import { showTopic, unixSeconds } from "../../ground/realm/domain-values.ts"
import type { HistoryPolicy } from "../../ground/realm/realm-settings.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import {
  findOriginal,
  findVersions,
  type OriginalMessage,
  type StoredEdit,
} from "../../reading/history/edit-history-store.ts"
import { findMessageAccess, noMessage, requireReadable } from "../../reading/history/message-access.ts"
import { type FormerVisibility, formerVisibilityOf, replaced, visibleEdits } from "../../reading/history/wire-edits.ts"
import { EditRecord } from "../../sending/messages/message-schema.ts"
import { comparedAtOnce, htmlDiff } from "./html-diff.ts"

const Version = Schema.Struct({
  ...EditRecord.fields,
  content: Schema.String,
  rendered_content: Schema.String,
  topic: Schema.String,
  /** Absent where the content was not changed, and where it is too long to be compared (html-diff.ts). */
  content_html_diff: Schema.optionalKey(Schema.String),
})

type Message = NonNullable<Effect.Success<ReturnType<typeof findVersions>>>

/**
 * The versions from the first to the newest. `edits`: the newest first. `original`: what the first one was, where not all
 * changes are among these. Under `moves` no version has an earlier content.
 */
const versions = (
  message: Message,
  edits: ReadonlyArray<StoredEdit>,
  original: OriginalMessage | null,
  diffs: ReadonlyMap<StoredEdit, string>,
  emptyTopicName: boolean,
): ReadonlyArray<JsonObject> => {
  let { content, rendered, topic } = message
  const found: Array<JsonObject> = []
  const shown = (user_id: number, at: number) => ({
    user_id,
    timestamp: unixSeconds(at),
    content,
    rendered_content: rendered,
    topic: showTopic(topic, emptyTopicName),
  })
  for (const edit of edits) {
    const diff = diffs.get(edit)
    const difference = diff === undefined ? {} : { content_html_diff: diff }
    found.push({ ...shown(edit.editor_id, edit.at), ...replaced(edit, emptyTopicName), ...difference })
    content = edit.prev_content ?? content
    rendered = edit.prev_rendered ?? rendered
    topic = edit.prev_topic ?? topic
  }
  content = original?.content ?? content
  rendered = original?.rendered ?? rendered
  topic = original?.topic ?? topic
  return [...found, shown(message.sender_id, message.sent_at)].reverse()
}

/**
 * Without the topic that it had in a channel whose topics the reader may not see. `now`: where it is, which they read;
 * `sent`: its id, which is the position at which it came to its first channel.
 */
const shownOriginal = (
  original: OriginalMessage,
  now: ChannelId | null,
  { reads }: FormerVisibility,
  sent: MessageId,
): OriginalMessage => {
  const { channel_id: id } = original
  return id === null || id === now || reads(id, sent) ? original : { ...original, topic: null }
}

/** The most characters of differences in an answer; earlier changes have none then. */
const mostDiffs = 1_000_000

/** How each change looks in the content, as far as there is room for it: the newest first. `edits`: likewise. */
const findDiffs = Effect.fnUntraced(function* (message: Message, edits: ReadonlyArray<StoredEdit>) {
  const found = new Map<StoredEdit, string>()
  let [rendered, left, inSlice] = [message.rendered, mostDiffs, 0]
  for (const edit of edits) {
    if (edit.prev_rendered === null || left <= 0) continue
    inSlice += rendered.length + edit.prev_rendered.length
    if (inSlice > comparedAtOnce) {
      yield* nextSlice
      inSlice = 0
    }
    const diff = yield* htmlDiff(edit.prev_rendered, rendered)
    rendered = edit.prev_rendered
    left -= diff?.length ?? 0
    if (diff !== undefined && left >= 0) found.set(edit, diff)
  }
  return found
})

/** An earlier content is in two versions, and with the next one in their difference. */
const bytesOf = (text: Message, edits: ReadonlyArray<StoredEdit>, original: OriginalMessage | null): number =>
  edits.reduce(
    (sum, edit) => sum + 2 * (edit.prev_content?.length ?? 0) + 4 * (edit.prev_rendered?.length ?? 0) + 300,
    2 * (edits.length + 1) * 200 +
      text.content.length +
      2 * text.rendered.length +
      (original?.content?.length ?? 0) +
      (original?.rendered?.length ?? 0),
  )

/** The newest changes that are shown, beside the first version: somebody may edit a message again and again. */
const mostVersions = 100

/** A message that is moved this often meanwhile is not found. */
const mostRounds = 10

/** The message and its changes of one moment at which the caller may read it. */
const findReadable = Effect.fnUntraced(function* (caller: Caller, message: MessageId, policy: HistoryPolicy) {
  const attempt = Effect.gen(function* () {
    const { realm, user } = yield* requireAccount(caller)
    const place = yield* Effect.fromResult(requireReadable(realm, user, yield* findMessageAccess(caller, message)))
    const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
    const found = yield* findVersions(reading, realm.id, message, policy, mostVersions)
    if (found === undefined) return yield* noMessage
    // Elsewhere by now: whether it may be read there was not asked.
    if (found.channel_id !== place.channel_id || found.channel_since !== place.channel_since) return conflict
    const isWhole = found.edits.length < mostVersions
    return { found, original: isWhole ? null : yield* findOriginal(reading, realm.id, message, policy) }
  })
  const giveUp = Effect.fail(new Unavailable({ reason: "the message is moved too often" }))
  return yield* retryOnConflict(mostRounds, attempt, giveUp)
})

export const getMessageHistory = userEndpoint({
  method: "GET",
  path: "/messages/{message_id:int}/history",
  summary: "All versions of a message.",
  params: {
    messageId: id("message_id", MessageId),
    emptyTopicName: withDefault(boolean("allow_empty_topic_name"), false),
  },
  reply: Schema.Struct({ message_history: Schema.Array(Version).check(Schema.isMinLength(1)) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, emptyTopicName } }) {
    const { realm, user } = yield* requireAccount(caller)
    const policy = realm.settings.message_edit_history_visibility_policy
    if (policy === "none") return yield* badRequest("Message edit history is disabled in this organization")
    const { found, original: stored } = yield* findReadable(caller, messageId, policy)
    const visibility = formerVisibilityOf(realm, user)
    const edits = visibleEdits(found.edits, found.channel_id, visibility, mostVersions)
    const original = stored && shownOriginal(stored, found.channel_id, visibility, messageId)
    const answer = Effect.gen(function* () {
      const shown = versions(found, edits, original, yield* findDiffs(found, edits), emptyTopicName)
      return [yield* listInPieces("message_history", shown, (version) => JSON.stringify(version))]
    })
    return yield* (yield* LargeAnswers).answer(
      requesterName(caller),
      bytesOf(found, edits, original),
      answer,
      requesterKind(caller),
    )
  }),
})
