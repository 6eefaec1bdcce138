/** GET /messages/{message_id}/read_receipts: who has read a message, as far as they let others know. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { requesterKind, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { idSchemas, MessageId, UserId } from "../../../ids.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { mayReadMessage } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { findMessageAccess, requireReadable } from "../../reading/history/message-access.ts"
import type { MessageAccess } from "../../reading/history/message-access-store.ts"
import { mutedUsers } from "../../sending/messages/muted-user-index.ts"
import { findReaders } from "./read-receipts-store.ts"

/**
 * Those who may be shown as readers to the requester, in ascending order. Of a channel message not all of them hold it;
 * whoever is out of a private channel has not read what is there.
 */
const candidates = (realm: Realm, requester: UserId, place: MessageAccess): ReadonlyArray<UserId> => {
  const channel = place.channel_id === null ? undefined : realm.channels.get(place.channel_id)
  const readsChannel = (user: UserRecord) => channel === undefined || mayReadMessage(realm, user, channel, true)
  const among =
    place.member_key === null ? realm.users.keys() : place.member_key.split(",").map((id) => UserId(Number(id)))
  return [...among]
    .filter((user) => {
      const record = realm.users.get(user)
      return (
        user !== place.sender_id &&
        realm.isActive(user) &&
        record?.settings.send_read_receipts === true &&
        readsChannel(record) &&
        !realm.part(mutedUsers).isMuted(user, requester) &&
        !realm.part(mutedUsers).isMuted(requester, user)
      )
    })
    .sort((a, b) => a - b)
}

/** A user id in the answer, with its comma. */
const bytesOfId = 12

export const getReadReceipts = userEndpoint({
  method: "GET",
  path: "/messages/{message_id:int}/read_receipts",
  summary: "Who has read a message.",
  params: { messageId: id("message_id", MessageId) },
  reply: Schema.Struct({ user_ids: Schema.Array(idSchemas.user) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { messageId } }) {
    const { realm, user } = yield* requireAccount(caller)
    if (!realm.settings.enable_read_receipts)
      return yield* badRequest("Read receipts are disabled in this organization.")
    const place = yield* Effect.fromResult(requireReadable(realm, user, yield* findMessageAccess(caller, messageId)))
    const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
    const user_ids = yield* findReaders(reading, realm.id, messageId, candidates(realm, user.id, place))
    return yield* (yield* LargeAnswers).answer(
      requesterName(caller),
      user_ids.length * bytesOfId,
      Effect.sync(() => membersOf({ user_ids })),
      requesterKind(caller),
    )
  }),
})
