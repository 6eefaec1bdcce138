/** The statements that index the next messages (search-index.sql), and those whose words are of an older program. */
import * as Effect from "effect/Effect"
import type { DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"

/** Messages and bytes of one statement: some 15 ms in the embedded database, where nothing else is done meanwhile. */
const messagesAtOnce = 16
const bytesAtOnce = 6_400

/** Answers how much was done; 0: all messages are indexed, and no words of deleted ones are left; -1: another server is at it. */
export const indexMessages = (database: Pick<DatabaseShape, "query">, realm: RealmId) =>
  Effect.map(
    database.query("select index_messages_v3($1::integer, $2::integer, $3::integer) as count", [
      realm,
      messagesAtOnce,
      bytesAtOnce,
    ]),
    ([row]) => Number(row?.["count"] ?? 0),
  )

/** Likewise makes words anew (search-renewal.sql). */
export const renewWords = (database: Pick<DatabaseShape, "query">, realm: RealmId) =>
  Effect.map(
    database.query("select renew_words_v1($1::integer, $2::integer, $3::integer) as count", [
      realm,
      messagesAtOnce,
      bytesAtOnce,
    ]),
    ([row]) => Number(row?.["count"] ?? 0),
  )
