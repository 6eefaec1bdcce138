/** Reads who has read a message. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas, type MessageId, type RealmId, type UserId } from "../../../ids.ts"

/** Users whom one statement asks about: it takes some 5 ms. */
const usersAtOnce = 500

const decode = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ reader: idSchemas.user })))

/** Those of the users who hold the message and have read it, in the order of `users`: in ascending order if that is. */
export const findReaders = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  message: MessageId,
  users: ReadonlyArray<UserId>,
) {
  const found: Array<UserId> = []
  for (let at = 0; at < users.length; at += usersAtOnce) {
    const rows = yield* reading.query(
      "select unnest(readers_v1($1::integer, $2::bigint, string_to_array($3::text, ',')::integer[])) as reader",
      [realm, message, users.slice(at, at + usersAtOnce).join(",")],
    )
    for (const { reader } of decode(rows)) found.push(reader)
  }
  return found
})
