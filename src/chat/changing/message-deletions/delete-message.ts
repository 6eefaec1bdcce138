/**
 * DELETE /messages/{message_id}: people delete their own messages and those of their bots for some time, and others' if they may. What
 * is left in the log is that there was a message; queues that read late get it without content.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import type { Conflict } from "../../../conflict.ts"
import { call, type Judgement, judgementOf } from "../../../events/command.ts"
import { MessageId, type UserId } from "../../../ids.ts"
import { linkedFileRow } from "../../ground/kinds/attachment-row.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { groupReaders } from "../../ground/permissions/channel-visibility.ts"
import { mayDeleteAny, mayDeleteOwn } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import {
  graceSeconds,
  messageAudience,
  noMessage,
  readAboutMessage,
  requireReadable,
} from "../../reading/history/message-access.ts"
import { type FoundMessage, findMessageWithText } from "../message-edits/found-message.ts"
import { firstRow } from "../message-moves/move-between-channels.ts"

/** Whoever runs a bot answers for what it wrote. */
const isOwn = (realm: Realm, user: UserRecord, sender: UserId): boolean =>
  sender === user.id || realm.users.get(sender)?.bot_owner_id === user.id

/** The message and its channel, if the user may delete it now. */
const requireDeletable = (realm: Realm, user: UserRecord, found: FoundMessage) =>
  Result.gen(function* () {
    const place = yield* requireReadable(realm, user, found.place)
    if (found.text === undefined) return yield* Result.fail(noMessage)
    const channel = (place.channel_id === null ? undefined : realm.channels.get(place.channel_id)) ?? null
    if (mayDeleteAny(realm, user, channel)) return { place, channel }
    if (!isOwn(realm, user, place.sender_id) || !mayDeleteOwn(realm, user, channel))
      return yield* Result.fail(badRequest("You don't have permission to delete this message"))
    const limit = realm.settings.message_content_delete_limit_seconds
    if (limit !== null && realm.now() - found.text.sent_at > (limit + graceSeconds) * 1000)
      return yield* Result.fail(badRequest("The time limit for deleting this message has passed"))
    return { place, channel }
  })

export const deleteMessage = userEndpoint({
  method: "DELETE",
  path: "/messages/{message_id:int}",
  fresh: "onRefusal",
  summary: "Deletes a message.",
  params: { messageId: id("message_id", MessageId) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { messageId } }) {
    yield* submitWithRecord(
      caller,
      findMessageWithText(caller, messageId),
      (found, realm, user): Judgement<undefined | Conflict> =>
        judgementOf(requireDeletable(realm, user, found), ({ place, channel }): Judgement<undefined | Conflict> => {
          const messages = { channel_id: place.channel_id, held_by: "receivers", ids: [messageId] } as const
          const args = {
            message_id: messageId,
            channel_id: place.channel_id,
            since: place.channel_since,
            ...(channel === null ? {} : groupReaders(realm, channel)),
            deleter_id: user.id,
            row: deleteMessageRows.change({ messages, topic: "" }, messageAudience(realm, place)),
            ...(channel === null ? {} : { first_row: firstRow(realm, channel) }),
            file_row: linkedFileRow,
          }
          return call("delete_messages_v1", args, channel !== null, readAboutMessage({}))
        }),
    )
    return dataReply()
  }),
})
