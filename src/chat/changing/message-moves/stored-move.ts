/**
 * A move as it was judged: which messages, in what parts, where to, by whom. The parts after the first commit are stored
 * (chat/ground/bulk), in the flat form of `StoredMove`, which older programs wrote too.
 */
import * as Schema from "effect/Schema"
import { type ChannelId, idSchemas, type MessageId, type UserId } from "../../../ids.ts"

export interface MessageMove {
  readonly by: UserId
  readonly from: {
    readonly channel: ChannelId
    readonly topic: string
    /** Only what the user holds is moved. */
    readonly isHeldOnly: boolean
  }
  /** The messages of that topic, as the request says it. */
  readonly what: {
    /** The message that the request names. */
    readonly message: MessageId
    readonly mode: StoredMove["propagate_mode"]
  }
  readonly parts: {
    /** The ids with which the parts begin, and the one before which the last part ends. */
    readonly bounds: ReadonlyArray<number>
    readonly end: number
    /**
     * Which of these is done first: the one with the message that the request names, because what may be refused about
     * it is refused there. Then come the others, in their order.
     */
    readonly first: number
  }
  readonly to: {
    /** null where the messages stay in their channel. */
    readonly channel: ChannelId | null
    readonly topic: string
  }
  /** The topic is resolved, or that is undone; nothing else. */
  readonly isResolution: boolean
  /** Number of users who had a policy for the topic (user-topics) when the request was judged. */
  readonly policies: number
  /** The position at which it was; null in older works. */
  readonly judgedAt: number | null
}

/** Absent in older works: `first`, `judged_at` and `policies`. */
const StoredMove = Schema.Struct({
  user_id: idSchemas.user,
  message_id: idSchemas.message,
  channel_id: idSchemas.channel,
  topic: Schema.String,
  bounds: Schema.Array(Schema.Number),
  first: Schema.optionalKey(Schema.Number),
  end: Schema.Number,
  judged_at: Schema.optionalKey(Schema.Number),
  propagate_mode: Schema.Literals(["change_one", "change_later", "change_all"]),
  to_topic: Schema.String,
  /** Absent where the messages stay in their channel. */
  to_channel: Schema.optionalKey(idSchemas.channel),
  is_held_only: Schema.Boolean,
  policies: Schema.optionalKey(Schema.Number),
  is_resolution: Schema.Boolean,
})
export type StoredMove = typeof StoredMove.Type

/** Throws if it is no stored move. */
export const readStoredMove: (stored: unknown) => StoredMove = Schema.decodeUnknownSync(StoredMove)

export const storedMove = ({
  by,
  from,
  what,
  parts,
  to,
  isResolution,
  policies,
  judgedAt,
}: MessageMove): StoredMove => ({
  first: parts.first,
  user_id: by,
  message_id: what.message,
  channel_id: from.channel,
  topic: from.topic,
  bounds: parts.bounds,
  end: parts.end,
  ...(judgedAt === null ? {} : { judged_at: judgedAt }),
  propagate_mode: what.mode,
  to_topic: to.topic,
  ...(to.channel === null ? {} : { to_channel: to.channel }),
  is_held_only: from.isHeldOnly,
  is_resolution: isResolution,
  policies,
})

export const moveOf = (stored: StoredMove): MessageMove => ({
  by: stored.user_id,
  from: { channel: stored.channel_id, topic: stored.topic, isHeldOnly: stored.is_held_only },
  what: { message: stored.message_id, mode: stored.propagate_mode },
  parts: { bounds: stored.bounds, end: stored.end, first: stored.first ?? 0 },
  to: { channel: stored.to_channel ?? null, topic: stored.to_topic },
  isResolution: stored.is_resolution,
  policies: stored.policies ?? 0,
  judgedAt: stored.judged_at ?? null,
})
