/** Reads and notes what the job asks of the database. Called by expiry.ts only. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { idSchemas, RealmId } from "../../../ids.ts"
import { type DueDeletion, type RetentionTerms, readTerms } from "./retention-terms.ts"

type Queries = Pick<DatabaseShape, "query">

const readRealms = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Number })))

/** The active organizations where something may be kept for some days only, or was. */
export const findLimited = Effect.fnUntraced(function* (database: Queries) {
  const rows = yield* database.query(
    `select r.id from realm r where (r.settings ->> 'deactivated')::boolean is not true and (
       (r.settings ->> 'message_retention_days')::integer > 0 or r.message_terms <> '{}' or exists (
         select from channel c where c.realm_id = r.id and c.retention_days > 0)) order by r.id`,
  )
  return readRealms(rows).map(({ id }) => RealmId(id))
})

/** The database's clock, in milliseconds since the Unix epoch. */
export const databaseTime = (database: Queries): Effect.Effect<number, Unavailable> =>
  Effect.map(database.query("select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now"), ([row]) =>
    Number(row?.["now"]),
  )

export const findTerms = (database: Queries, realm: RealmId): Effect.Effect<RetentionTerms, Unavailable> =>
  Effect.map(database.query("select message_terms::text as terms from realm where id = $1", [realm]), ([row]) =>
    readTerms(JSON.parse(String(row?.["terms"] ?? "{}"))),
  )

export const noteTerms = (database: Queries, realm: RealmId, terms: RetentionTerms): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query("select note_terms_v1($1, $2::text::jsonb)", [realm, JSON.stringify(terms)]))

const ExpiredGroup = Schema.Struct({
  channel_id: Schema.NullOr(idSchemas.channel),
  topic_folded: Schema.NullOr(Schema.String),
  conversation_id: Schema.NullOr(Schema.Number),
  /** The numbers of a conversation's people, with commas. */
  members: Schema.NullOr(Schema.String),
  low: Schema.Number,
  high: Schema.Number,
  before: Schema.Number,
  count: Schema.Number,
  files: Schema.Array(Schema.Number),
})
/** Messages that go together. */
export type ExpiredGroup = typeof ExpiredGroup.Type

const Found = Schema.Struct({
  groups: Schema.Array(ExpiredGroup),
  /** Places in which nothing is left. */
  done: Schema.Array(Schema.NullOr(idSchemas.channel)),
})

const readFound = Schema.decodeUnknownSync(Schema.fromJsonString(Found))

export const findExpired = (
  database: Queries,
  realm: RealmId,
  due: ReadonlyArray<DueDeletion>,
  groups: number,
  most: number,
): Effect.Effect<typeof Found.Type, Unavailable> =>
  Effect.map(
    database.query("select find_expired_v1($1, $2::text::jsonb, $3, $4)::text as found", [
      realm,
      JSON.stringify(due),
      groups,
      most,
    ]),
    ([row]) => readFound(String(row?.["found"])),
  )
