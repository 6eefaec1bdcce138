/** Uploaded files in the database, for their owners and for those who want to read one. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../db/reads.ts"
import type { RealmId } from "../../ids.ts"

const Space = Schema.Array(Schema.Struct({ used: Schema.Number }))
const readSpace = Schema.decodeUnknownSync(Space)

/** Bytes of all files of an organization. */
export const findSpace = Effect.fnUntraced(function* (reading: Reading, realm: RealmId) {
  const rows = yield* reading.query("select upload_space_v1($1::integer)::double precision as used", [realm])
  return readSpace(rows)[0]?.used ?? 0
})
