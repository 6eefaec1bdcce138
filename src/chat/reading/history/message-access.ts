/**
 * Whether somebody may read a message, for all that is done with one: reactions, votes, edits, moves, deletions,
 * reports. Those who may read its channel's history may; those who hold it, too, but in a private channel only while they
 * are subscribed. One that they may not read is refused exactly like one that does not exist.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, requesterKind, requesterName } from "../../../api/endpoint.ts"
import { type ApiError, badRequest, type Checked } from "../../../api/errors.ts"
import { type Conflict, conflict } from "../../../conflict.ts"
import { UserReads } from "../../../db/reads.ts"
import { type Audience, toUsers } from "../../../events/audience.ts"
import { done, type OutcomeReader, readRefusal, refused } from "../../../events/command.ts"
import { UserId } from "../../../ids.ts"
import { groupReaders, holderAudience } from "../../ground/permissions/channel-visibility.ts"
import { readerReadsMessage } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { waitForPosition } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { type MessageAccess, readMessageAccess } from "./message-access-store.ts"
import type { MessageJudge } from "./walk/search-conditions-store.ts"

/** Added to each time limit of messages: clients may be slow to send what was allowed when their user began. */
export const graceSeconds = 20

export const noMessage = badRequest("Invalid message(s)")

/** The place of a message; undefined where there is none. `requireReadable` judges whether the caller may read it. */
export const findMessageAccess = Effect.fnUntraced(function* (caller: Caller, message: number) {
  const { realm } = yield* requireAccount(caller)
  const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
  const place = yield* readMessageAccess(reading, { realm: realm.id, user: caller.user }, message)
  yield* waitForPosition(realm, Math.max(place?.id ?? 0, place?.channel_since ?? 0))
  return place
})

/** The reader as the projection has them now: the rules may have changed since the request began. */
const currentRecord = (realm: Realm, { id }: UserRecord) => realm.users.get(id)

/** Judges messages for a reader, null for a visitor, by the rules at the time of the judgement. */
export const judgeFor = (realm: Realm, reader: UserRecord | null): MessageJudge => ({
  realm,
  mayRead: (id, held) => {
    const channel = id === null ? undefined : realm.channels.get(id)
    // A channel that the projection does not know yet: whoever shows the message waits until it does.
    if (channel === undefined) return held
    const now = reader === null ? null : currentRecord(realm, reader)
    return now !== undefined && readerReadsMessage(realm, now, channel, held)
  },
})

/** The message, if the user may read it under the rules of `realm`. */
export const requireReadable = (
  realm: Realm,
  user: UserRecord,
  place: MessageAccess | undefined,
): Checked<MessageAccess> => {
  const isReadable = place !== undefined && judgeFor(realm, user).mayRead(place.channel_id, place.held)
  return isReadable ? Result.succeed(place) : Result.fail(noMessage)
}

/**
 * The audience of a row about a message: who holds it and may read it. The commit adds those who hold a channel's message by
 * a row of their own (other_readers_v1).
 */
export const messageAudience = (realm: Realm, { channel_id, channel_since, member_key }: MessageAccess): Audience => {
  const channel = channel_id === null ? undefined : realm.channels.get(channel_id)
  return channel === undefined
    ? toUsers((member_key ?? "").split(",").map((id) => UserId(Number(id))))
    : holderAudience(realm, channel, channel_since ?? 0)
}

/**
 * The side data of a row about a message: where it was found, and who else may hear of it there. If it is elsewhere by
 * now, the row is not written.
 */
export const accessData = (realm: Realm, { channel_id, channel_since }: MessageAccess) => {
  const channel = channel_id === null ? undefined : realm.channels.get(channel_id)
  return { channel_id, since: channel_since, ...(channel && groupReaders(realm, channel)) }
}

/**
 * The outcome of a function that writes a row about a message: it was written, or refused with one of these words, or the
 * message is to be found again because it was moved.
 */
export const readAboutMessage = (refusals: Readonly<Record<string, ApiError>>): OutcomeReader<undefined | Conflict> => {
  const words: Readonly<Record<string, ApiError | Conflict>> = { ...refusals, moved: conflict }
  return (outcome) => {
    const known = readRefusal(outcome, words)
    return known === undefined || known === conflict ? done(known) : refused(known)
  }
}
