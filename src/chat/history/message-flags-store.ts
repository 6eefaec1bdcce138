/** The flags of messages that a reader is shown (contract 6.6), for all messages of a part of an answer at once. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../db/reads.ts"
import { flagList } from "./read-state-store.ts"
import { binder, integers, type Scope } from "./search-conditions-store.ts"

const readRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Number, flags: Schema.Array(Schema.String) })),
)

/** A visitor without an account has read everything. */
const visitorFlags: ReadonlyArray<string> = ["read"]

/** The flags of these messages, by their ids. */
export const findFlags = Effect.fnUntraced(function* (reading: Reading, scope: Scope, ids: ReadonlyArray<number>) {
  if (scope.user === null) return new Map(ids.map((id) => [id, visitorFlags]))
  const { parameters, bind } = binder(scope)
  const rows = yield* reading.query(
    `select m.id, ${flagList} as flags
       from (${integers(ids, bind)}) as wanted(id)
       join message m on m.realm_id = $1::integer and m.id = wanted.id
       left join personal_message p
         on p.realm_id = $1::integer and p.user_id = $2::integer and p.message_id = m.id`,
    parameters,
    "generic",
  )
  return new Map(readRows(rows).map(({ id, flags }) => [id, flags]))
})
