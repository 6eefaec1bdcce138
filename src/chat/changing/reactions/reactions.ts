/**
 * Reactions: emoji that people put under messages. Whoever may read a message may react to it. What depends on the
 * reactions that there are is checked by react_v1, under the log's lock.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, reactionExists, reactionMissing } from "../../../api/errors.ts"
import { id, keyword, optional, text, withDefault } from "../../../api/params.ts"
import type { Conflict } from "../../../conflict.ts"
import { call, type Judgement, judgementOf } from "../../../events/command.ts"
import { MessageId } from "../../../ids.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import {
  accessData,
  findMessageAccess,
  messageAudience,
  readAboutMessage,
  requireReadable,
} from "../../reading/history/message-access.ts"
import { policiesByParticipation } from "../../sending/messages/automatic-topic-policies.ts"
import {
  type Emoji,
  emojiFault,
  readReactionType,
  requireNamed,
  requireTakenBack,
} from "../../text/emoji/reaction-emoji.ts"
import { reactionKind } from "./reaction-event.ts"

/**
 * Most reactions of one message, its most emoji, and the most emoji of one user: every client that reads it gets them
 * all. A user has fewer than the message, so that nobody keeps the others from reacting.
 */
const most = 5000
const mostKinds = 100
const mostOwn = 20

/** About how many bytes a reaction has in an answer. */
const reactionBytes = 120

const full = badRequest("This message cannot have more reactions.")

/** No name and no code is nearly as long. */
const longest = { min: 1, max: 100 }
const emojiName = text("emoji_name", longest)
const emojiCode = text("emoji_code", longest)
const reactionType = keyword("reaction_type", longest)

type ReactionOp = "add" | "remove"

const react = (caller: Caller, message: MessageId, op: ReactionOp, find: (realm: Realm) => Checked<Emoji>) => {
  const judge = (realm: Realm, user: UserRecord, place: Effect.Success<ReturnType<typeof findMessageAccess>>) =>
    Result.gen(function* () {
      const found = yield* requireReadable(realm, user, place)
      return { found, emoji: yield* find(realm) }
    })
  return submitWithRecord(
    caller,
    findMessageAccess(caller, message),
    (place, realm, user): Judgement<undefined | Conflict> =>
      judgementOf(judge(realm, user, place), ({ found, emoji }) => {
        const fault = op === "add" ? emojiFault(realm, emoji) : undefined
        const sideData = {
          ...accessData(realm, found),
          most,
          most_kinds: mostKinds,
          most_own: mostOwn,
          bytes: reactionBytes,
          is_valid: fault === undefined,
        }
        const who = { email: apiEmail(realm, user), full_name: user.full_name }
        const payload = { op, message_id: message, user_id: user.id, ...emoji, user: who }
        const row = reactionKind.change(payload, messageAudience(realm, found), { sideData })
        const refusals = {
          exists: reactionExists(),
          missing: reactionMissing(),
          full,
          ...(fault && { invalid: fault }),
        }
        const channel = found.channel_id === null ? undefined : realm.channels.get(found.channel_id)
        const policies = op === "add" ? policiesByParticipation(realm, user, channel) : {}
        return call("react_v1", { row, ...policies }, false, readAboutMessage(refusals))
      }),
  )
}

const messageId = id("message_id", MessageId)

export const postReaction = userEndpoint({
  method: "POST",
  path: "/messages/{message_id:int}/reactions",
  fresh: "onRefusal",
  summary: "Reacts to a message with an emoji.",
  params: { messageId, name: emojiName, code: optional(emojiCode), type: optional(reactionType) },
  reply: noFields,
  errors: ["REACTION_ALREADY_EXISTS"],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, name, code, type: raw } }) {
    const type = raw === undefined ? undefined : yield* Effect.fromResult(readReactionType(raw))
    yield* react(caller, messageId, "add", (realm) => requireNamed(realm, { name, code, type }))
    return dataReply()
  }),
})

const deleteReaction = userEndpoint({
  method: "DELETE",
  path: "/messages/{message_id:int}/reactions",
  fresh: "onRefusal",
  summary: "Takes a reaction to a message back.",
  params: {
    messageId,
    name: optional(emojiName),
    code: optional(emojiCode),
    type: withDefault(reactionType, "unicode_emoji"),
  },
  reply: noFields,
  errors: ["REACTION_DOES_NOT_EXIST"],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, name, code, type: raw } }) {
    const type = yield* Effect.fromResult(readReactionType(raw))
    if (name === undefined && code === undefined)
      return yield* badRequest("One of these arguments is needed: emoji_name, emoji_code")
    const emoji = (realm: Realm): Checked<Emoji> =>
      code === undefined
        ? requireTakenBack(realm, name ?? "")
        : Result.succeed({ emoji_name: name ?? code, emoji_code: code, reaction_type: type })
    yield* react(caller, messageId, "remove", emoji)
    return dataReply()
  }),
})

export const reactionEndpoints = [postReaction, deleteReaction]
