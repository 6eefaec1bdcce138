/** Reads what a widget began with. */
import * as Effect from "effect/Effect"
import { type Caller, requesterKind, requesterName } from "../../../api/endpoint.ts"
import { UserReads } from "../../../db/reads.ts"
import type { MessageId } from "../../../ids.ts"

/** The content of the submessage that came with the message; undefined where none did. */
export const findFirstSubmessage = Effect.fnUntraced(function* (caller: Caller, message: MessageId) {
  const reading = (yield* UserReads).begin(requesterName(caller), requesterKind(caller))
  const [row] = yield* reading.query(
    "select content from submessage where realm_id = $1::integer and message_id = $2::bigint and id = $2::bigint",
    [caller.realm, message],
  )
  const content = row?.["content"]
  return typeof content === "string" ? content : undefined
})
