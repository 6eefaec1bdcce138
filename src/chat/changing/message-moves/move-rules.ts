/** The rules of who may move messages where, until when. Pure functions of the realm in memory. */
import * as Result from "effect/Result"
import { type ApiError, badRequest, type Checked } from "../../../api/errors.ts"
import type { ChannelId } from "../../../ids.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import {
  mayMoveOut,
  mayMoveWithin,
  mayPost,
  mayReadContent,
  mayResolve,
  movesAtAnyTime,
} from "../../ground/permissions/permissions.ts"
import { readTopic } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { graceSeconds } from "../../reading/history/message-access.ts"
import { requireTopic } from "../../sending/messages/destination.ts"
import { isEmptyResolved, resolution } from "./resolved-topic.ts"

/** The topic and the channel that a request names; each is absent where it names none. */
export interface MoveTarget {
  readonly topic?: string | undefined
  readonly channel?: ChannelId | undefined
}

export interface MovePlan {
  readonly to: ChannelRecord
  readonly topic: string
  /** The move only resolves the topic, or undoes it. */
  readonly resolves: "resolved" | "unresolved" | undefined
  /** Messages sent before so many milliseconds before now may not be moved; null: all may. */
  readonly limit: number | null
}

const requireTarget = (realm: Realm, mover: UserRecord, id: ChannelId): Checked<ChannelRecord> =>
  Result.gen(function* () {
    const channel = yield* requireChannel(realm, mover, id)
    if (channel.is_archived || !mayReadContent(realm, mover, channel))
      return yield* Result.fail(badRequest("Invalid channel ID"))
    if (!mayPost(realm, mover, channel))
      return yield* Result.fail(badRequest("You do not have permission to post in this channel."))
    return channel
  })

const passed = (what: "topic" | "channel"): ApiError =>
  badRequest(`The time limit for editing this message's ${what} has passed${what === "topic" ? "." : ""}`)

interface MoveTimeLimit {
  readonly seconds: number | null
  readonly what: "topic" | "channel"
}

/** Refuses if the message is older than a limit; answers the shortest limit in milliseconds. */
const requireInTime = (realm: Realm, sentAt: number, limits: ReadonlyArray<MoveTimeLimit>): Checked<number | null> => {
  let shortest: number | null = null
  for (const { seconds, what } of limits) {
    if (seconds === null) continue
    const limit = (seconds + graceSeconds) * 1000
    if (realm.now() - sentAt > limit) return Result.fail(passed(what))
    shortest = Math.min(shortest ?? limit, limit)
  }
  return Result.succeed(shortest)
}

/** The changes of a move; undefined where everything is there already. */
export const planMove = (
  realm: Realm,
  mover: UserRecord,
  at: { readonly channel: ChannelRecord; readonly topic: string; readonly sentAt: number },
  wish: MoveTarget,
  longestTopic: number,
): Checked<MovePlan | undefined> =>
  Result.gen(function* () {
    const { channel: from } = at
    const isOut = wish.channel !== undefined && wish.channel !== from.id
    // The topic as it is written in the request is read by the rules of the channel that it will be in.
    const to = isOut && wish.channel !== undefined ? yield* requireTarget(realm, mover, wish.channel) : from
    // A longer name is cut off below. Names are compared whole: the mark makes a long one too long.
    const asked = wish.topic === undefined ? at.topic : readTopic(wish.topic.trim().slice(0, 4 * longestTopic))
    if (asked !== at.topic && isEmptyResolved(asked))
      return yield* Result.fail(badRequest("General chat cannot be marked as resolved"))
    const topic = asked === at.topic ? asked : yield* requireTopic(realm, to, asked, longestTopic)
    if (!isOut && topic === at.topic) return undefined
    if (from.is_archived) return yield* Result.fail(badRequest("You don't have permission to edit this message"))
    const resolves = isOut ? undefined : resolution(at.topic, asked)
    if (resolves !== undefined) {
      if (!mayResolve(realm, mover, from))
        return yield* Result.fail(badRequest("You don't have permission to resolve topics in this channel."))
      return { to, topic, resolves, limit: null }
    }
    if (topic !== at.topic && !mayMoveWithin(realm, mover, from))
      return yield* Result.fail(badRequest("You don't have permission to edit this message"))
    if (isOut && !mayMoveOut(realm, mover, from))
      return yield* Result.fail(badRequest("You don't have permission to move this message"))
    if (isOut && topic === at.topic) yield* requireTopic(realm, to, topic, longestTopic)
    if (movesAtAnyTime(mover)) return { to, topic, resolves, limit: null }
    const { move_messages_within_stream_limit_seconds: within, move_messages_between_streams_limit_seconds: between } =
      realm.settings
    const limit = yield* requireInTime(realm, at.sentAt, [
      ...(topic === at.topic ? [] : [{ seconds: within, what: "topic" } as const]),
      ...(isOut ? [{ seconds: between, what: "channel" } as const] : []),
    ])
    return { to, topic, resolves, limit }
  })
