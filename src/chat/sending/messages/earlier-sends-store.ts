/** Looks up earlier sends, to answer retries. Messages are read in fetch-messages-store.ts. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { RealmId, UserId } from "../../../ids.ts"

export interface KnownSend {
  readonly digest: string
  readonly messageId: number
  /** The policy that the topic got for its sender; null: it stayed as it was. */
  readonly policy: number | null
}

/** The first attempt of a retried send; null where there was none. */
export const findSend = (
  database: DatabaseShape,
  realm: RealmId,
  sender: UserId,
  queueId: string,
  localId: string,
): Effect.Effect<KnownSend | null, Unavailable> =>
  Effect.map(
    database.query(
      "select digest, message_id, policy from sent where realm_id = $1 and sender_id = $2 and queue_id = $3 and local_id = $4",
      [realm, sender, queueId, localId],
    ),
    ([row]) =>
      row === undefined
        ? null
        : {
            digest: String(row["digest"]),
            messageId: Number(row["message_id"]),
            policy: row["policy"] === null ? null : Number(row["policy"]),
          },
  )
