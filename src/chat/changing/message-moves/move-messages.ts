/**
 * Moves a message, those after it in its topic, or the whole topic: to another topic, to another channel, or both. Called
 * by PATCH /messages/{message_id}. The first part and the notices are one commit with the answer to whether the move is
 * allowed; further parts follow in chunks (move-steps.ts).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, requesterName } from "../../../api/endpoint.ts"
import { badRequest, type Checked, type RequestFailure, tooOldToMove, Unavailable } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { type Conflict, conflict, retryOnConflict } from "../../../conflict.ts"
import { UserReads } from "../../../db/reads.ts"
import { done, judgementOf } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import type { Json } from "../../../json.ts"
import { Bulk, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import { mayReadHistory } from "../../ground/permissions/permissions.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { findMessageAccess, noMessage, requireReadable } from "../../reading/history/message-access.ts"
import { prepareTopicLinks } from "../../text/markdown/topic-links.ts"
import { type MoveNoticeTargets, moveNoticeSteps, resolutionSteps } from "./move-notices.ts"
import { type MovePlan, type MoveTarget, planMove } from "./move-rules.ts"
import { countParts, moveSteps, movingMessages, type NewContent, partSize } from "./move-steps.ts"
import { type MessageMove, storedMove } from "./stored-move.ts"
import { countPolicies, findTopicMessages, findTopicOf, type TopicMessages } from "./topic-store.ts"

export interface MoveRequest {
  /** The message that the request names, and which others of its topic go with it. */
  readonly what: MessageMove["what"]
  readonly to: MoveTarget
  readonly told: MoveNoticeTargets
}

/** The content that the message must still have at the commit, as the guard takes it, and its new one. */
interface JudgedContent {
  readonly was: Pick<NewContent["content"], "orig_raw" | "orig_rendered">
  readonly others: NewContent["others"]
  /** null: it keeps its content. */
  readonly edit: NewContent | null
}

/** Judges, for the commit of the move, the content of its message. */
export type JudgeContent = (realm: Realm, user: UserRecord) => Checked<JudgedContent>

/** The answer to a move with a content where the message is already where the request would move it. */
export const isThere = Symbol("isThere")

/** The commit's answer about the edit; undefined where there was none. */
type EditAnswer = Json | undefined | Conflict

/** A request whose message is moved by others this often meanwhile fails. */
const mostRounds = 10

export const nothingToChange = badRequest("Nothing to change")

/** Finds where the message is, and what stands in its topic, as far as the request is about it. */
const findAll = Effect.fnUntraced(function* (
  caller: Caller,
  { message, mode }: MessageMove["what"],
  limit: number | null,
) {
  const place = yield* findMessageAccess(caller, message)
  const { realm, user } = yield* requireAccount(caller)
  yield* Effect.fromResult(requireReadable(realm, user, place))
  const reading = (yield* UserReads).begin(requesterName(caller))
  const scope = { realm: realm.id, user: user.id }
  const at = yield* findTopicOf(reading, scope, message)
  if (place === undefined || at === undefined) return yield* noMessage
  const channel = place.channel_id === null ? undefined : realm.channels.get(place.channel_id)
  const policies =
    place.channel_id === null ? 0 : yield* countPolicies(reading, scope, place.channel_id, at.topic_folded)
  const one: TopicMessages = { count: 1, recent: 1, first: message, bounds: [message] }
  if (channel === undefined || mode === "change_one") return { place, at, policies, found: one }
  const range = {
    channel: channel.id,
    topicFolded: at.topic_folded,
    low: mode === "change_all" ? 0 : message,
    isHeldOnly: !mayReadHistory(realm, user, channel),
    since: limit === null ? 0 : realm.now() - limit,
  }
  return { place, at, policies, found: yield* findTopicMessages(reading, scope, range, partSize) }
})
type MessagesToMove = Effect.Success<ReturnType<typeof findAll>>

/** A move as it is asked for, and what of it is known by now. */
interface RequestedMove {
  readonly request: MoveRequest
  readonly known: MessagesToMove
  readonly longestTopic: number
  /** Absent where the content of the message is not asked about. */
  readonly judgeContent?: JudgeContent | undefined
}

/** The channel, and what is to be changed there; or the refusal. The order of the checks is part of the API. */
const plan = (realm: Realm, mover: UserRecord, { request, known, longestTopic }: RequestedMove) =>
  Result.gen(function* () {
    const { place, at } = known
    const { channel_id } = yield* requireReadable(realm, mover, place)
    if (channel_id === null)
      return yield* Result.fail(
        badRequest(
          request.to.channel === undefined
            ? "Direct messages cannot have topics."
            : "Direct messages cannot be moved to channels.",
        ),
      )
    const from = realm.channels.get(channel_id)
    if (from === undefined) return yield* Result.fail(noMessage)
    const planned = yield* planMove(
      realm,
      mover,
      { channel: from, topic: at.topic, sentAt: at.sent_at },
      request.to,
      longestTopic,
    )
    return planned === undefined ? undefined : { from, planned }
  })

/** Refuses to move a whole topic where only a part may be moved; says which, so that nobody splits it by accident. */
const requireAllInTime = ({ mode }: MessageMove["what"], { limit }: MovePlan, found: TopicMessages): Checked<void> =>
  mode === "change_all" && limit !== null && found.recent < found.count
    ? Result.fail(tooOldToMove(found.first, found.count, found.recent))
    : Result.succeed(undefined)

const judge = (realm: Realm, mover: UserRecord, asked: RequestedMove): BulkJudgement<EditAnswer> => {
  const { request, known, judgeContent } = asked
  return judgementOf(
    Result.gen(function* () {
      const content = judgeContent === undefined ? null : yield* judgeContent(realm, mover)
      const found = yield* plan(realm, mover, asked)
      if (found !== undefined) yield* requireAllInTime(request.what, found.planned, known.found)
      return { content, found }
    }),
    ({ content, found: possible }): BulkJudgement<EditAnswer> => {
      if (possible === undefined) return done(conflict)
      const { from, planned } = possible
      const { to, topic, resolves } = planned
      const { message, mode } = request.what
      const { place, at, found, policies } = known
      if (found.bounds.length === 0) return done(conflict)
      const move: MessageMove = {
        by: mover.id,
        from: {
          channel: from.id,
          topic: at.topic,
          isHeldOnly: to !== from && !mayReadHistory(realm, mover, from),
        },
        what: request.what,
        parts: {
          bounds: found.bounds,
          end: mode === "change_one" ? message + 1 : realm.position + 1,
          first: Math.max(
            0,
            found.bounds.findLastIndex((low) => low <= message),
          ),
        },
        to: { channel: to === from ? null : to.id, topic },
        isResolution: resolves !== undefined,
        policies,
        judgedAt: realm.position,
      }
      // The commit gives the channel its first message before a notice comes there.
      const there = { channel: { ...to, first_message_id: to.first_message_id ?? message }, topic }
      const told = {
        mover,
        from: { channel: from, topic: at.topic },
        to: there,
        count: mode === "change_all" ? "all" : found.count,
      } as const
      // Nobody is told of another spelling of the topic.
      const isElsewhere = to !== from || fold(topic) !== fold(at.topic)
      const steps: ReadonlyArray<CommandStep> = [
        ...moveSteps(realm, move, 0, content?.edit ?? null),
        ...(resolves !== undefined
          ? resolutionSteps(realm, mover, there, at.topic, resolves)
          : isElsewhere
            ? moveNoticeSteps(realm, told, request.told)
            : []),
      ]
      const rest = countParts(move) > 1 ? movingMessages.rest(storedMove(move), 1) : null
      return begin<EditAnswer>(steps, rest, {
        answer: (_positions, [outcome]) => outcome,
        guard: {
          fn: "is_still_there_v1",
          args: {
            message_id: message,
            channel_id: from.id,
            since: place.channel_since,
            topic: at.topic,
            ...(content === null ? {} : { content: content.was, others: content.others }),
          },
        },
        refused: { moved: done(conflict) },
      })
    },
  )
}

/**
 * Answers when all messages are moved. With `content` the commit that moves the message judges that too, and refuses both or
 * does both; it is prepared anew when the message has changed meanwhile. The answer then is the outcome of move_messages_v2.
 */
export const moveMessages = Effect.fnUntraced(function* <R = never>(
  caller: Caller,
  request: MoveRequest,
  content?: Effect.Effect<JudgeContent, RequestFailure, R>,
) {
  const bulk = yield* Bulk
  const { limits } = yield* Config
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const { what, to } = request
  const longestTopic = limits.maxTopicLength
  yield* prepareTopicLinks(realm, to.topic === undefined ? [] : [to.topic.slice(0, 4 * longestTopic)])
  const attempt = Effect.gen(function* () {
    // First without what the rules would refuse anyway: a topic may be long.
    const first = yield* findAll(caller, { ...what, mode: "change_one" }, null)
    const move = yield* Effect.fromResult(
      Result.flatMap(requireActor(realm, caller), (mover) =>
        plan(realm, mover, { request, known: first, longestTopic }),
      ),
    )
    if (move === undefined) return content === undefined ? yield* nothingToChange : isThere
    const { planned } = move
    const judgeContent = content === undefined ? undefined : yield* content
    const known = what.mode === "change_one" ? first : yield* findAll(caller, what, planned.limit)
    const asked = { request, known, longestTopic, judgeContent }
    return yield* bulk.run(caller.realm, {
      judge: (now) => {
        const mover = requireActor(now, caller)
        return judgementOf(mover, (actor): BulkJudgement<EditAnswer> => judge(now, actor, asked))
      },
    })
  })
  const giveUp = Effect.fail(new Unavailable({ reason: "the message is moved too often" }))
  return yield* retryOnConflict(mostRounds, attempt, giveUp)
})
