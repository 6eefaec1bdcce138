/**
 * DELETE /messages/{message_id}: people delete their own messages for some time, and those of others if they may. What
 * is left in the log is that there was a message; queues that read late get it without content.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { call, type Judgement, judged } from "../../../events/command.ts"
import { MessageId } from "../../../ids.ts"
import type { Overtaken } from "../../../overtaken.ts"
import { linkedFileRow } from "../../ground/kinds/attachment-row.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { mayDeleteAny, mayDeleteOwn } from "../../ground/permissions/permissions.ts"
import { groupReaders } from "../../ground/permissions/sight.ts"
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
import { firstRow } from "../message-moves/move-between.ts"

/** The message and its channel, if the user may delete it now. */
const requireDeletable = (realm: Realm, user: UserRecord, found: FoundMessage) =>
  Result.gen(function* () {
    const place = yield* requireReadable(realm, user, found.place)
    if (found.text === undefined) return yield* Result.fail(noMessage)
    const channel = (place.channel_id === null ? undefined : realm.channels.get(place.channel_id)) ?? null
    if (mayDeleteAny(realm, user, channel)) return { place, channel }
    if (place.sender_id !== user.id || !mayDeleteOwn(realm, user, channel))
      return yield* Result.fail(badRequest("You don't have permission to delete this message"))
    const limit = realm.settings.message_content_delete_limit_seconds
    if (limit !== null && realm.now() - found.text.sent_at > (limit + graceSeconds) * 1000)
      return yield* Result.fail(badRequest("The time limit for deleting this message has passed"))
    return { place, channel }
  })

export const deleteMessage = userEndpoint({
  method: "DELETE",
  path: "/messages/{message_id:int}",
  summary: "Deletes a message.",
  params: { messageId: id("message_id", MessageId) },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { messageId }) {
    yield* submitWithRecord(
      caller,
      findMessageWithText(caller, messageId),
      (found, realm, user): Judgement<undefined | Overtaken> =>
        judged(requireDeletable(realm, user, found), ({ place, channel }): Judgement<undefined | Overtaken> => {
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
    return data()
  }),
})
