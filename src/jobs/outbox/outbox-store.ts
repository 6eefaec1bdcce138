/** The rows of the outbox, as their claimers see them (outbox.sql, schema.sql). A row is changed only by who has claimed it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../db/database.ts"
import { RealmId } from "../../ids.ts"

type QueryDatabase = Pick<DatabaseShape, "query">

const readClaimed = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({
      claimed: Schema.fromJsonString(
        Schema.Struct({
          rows: Schema.Array(
            Schema.Struct({
              id: Schema.Number,
              realm_id: Schema.NullOr(Schema.Number),
              lane: Schema.NullOr(Schema.String),
              payload: Schema.Unknown,
              added_at: Schema.Number,
              due_at: Schema.Number,
              attempts: Schema.Number,
            }),
          ),
          next: Schema.NullOr(Schema.Number),
        }),
      ),
    }),
  ]),
)

/** A row that this process works on until its claim ends. */
export interface ClaimedRow {
  readonly id: number
  /** 0: of no organization, but of the server itself. */
  readonly realm: RealmId
  readonly lane: string | null
  readonly payload: unknown
  readonly claim: string
  readonly addedAt: number
  readonly dueAt: number
  /** Number of attempts that began before this claim. */
  readonly attempts: number
}

/** How many lanes are claimed at a time where owners take turns: of one owner, and of one organization. */
export interface ClaimShares {
  readonly perOwner: number
  readonly perRealm: number
}

export interface OutboxClaim {
  readonly kind: string
  readonly now: number
  /** When the claim ends. */
  readonly until: number
  /** Its name, never used before. */
  readonly name: string
  readonly lanes: number
  readonly rowsOfLane: number
  /** null: lanes are claimed in the order in which they are due, whoever owns them. */
  readonly shares: ClaimShares | null
  /** The most lanes that are claimed at a time, by whomever; null: nobody counts them. */
  readonly mostOverall: number | null
}

const claim = (database: QueryDatabase, wanted: OutboxClaim) => {
  const { kind, now, until, name, lanes, rowsOfLane, shares, mostOverall } = wanted
  const usual = [kind, now, until, name, lanes, rowsOfLane]
  if (shares !== null) {
    const all = [...usual, shares.perOwner, shares.perRealm]
    return database.query("select claim_outbox_fairly_v1($1, $2, $3, $4, $5, $6, $7, $8) as claimed", all, "kept")
  }
  return mostOverall === null
    ? database.query("select claim_outbox_v2($1, $2, $3, $4, $5, $6) as claimed", usual, "kept")
    : database.query(
        "select claim_outbox_overall_v1($1, $2, $3, $4, $5, $6, $7) as claimed",
        [...usual, mostOverall],
        "kept",
      )
}

export const claimRows = (database: QueryDatabase, wanted: OutboxClaim) =>
  Effect.map(claim(database, wanted), (answer) => {
    const [{ claimed }] = readClaimed(answer)
    const rows = claimed.rows.map(
      ({ id, realm_id, lane, payload, added_at, due_at, attempts }): ClaimedRow => ({
        id,
        realm: RealmId(realm_id ?? 0),
        lane,
        payload,
        claim: wanted.name,
        addedAt: added_at,
        dueAt: due_at,
        attempts,
      }),
    )
    return { rows, next: claimed.next }
  })

type ClaimedRowId = Pick<ClaimedRow, "id" | "claim">

/**
 * An attempt begins, the so-manieth: it counts from here, also where it ends the process. Answers false if the row is not held
 * any more, because it was taken back or its claim has ended.
 */
export const beginAttempt = (database: QueryDatabase, { id, claim }: ClaimedRowId, attempts: number) =>
  Effect.map(
    database.query(
      "update outbox set attempts = $3 where id = $1::bigint and claim = $2 returning id",
      [id, claim, attempts],
      "kept",
    ),
    (rows) => rows.length > 0,
  )

const readRenewed = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ outcome: Schema.Literals(["held", "another's", "gone"]) })]),
)

/**
 * The claim goes on until then, if it still holds. One that waited for a commit in which the row is ended changes nothing
 * and still sees the row as it was, with its own claim: the next time it sees what has become of it.
 */
export const renew = (database: QueryDatabase, { id, claim }: ClaimedRowId, until: number) =>
  Effect.map(
    database.query(
      `with held as (update outbox set next_at = $3::bigint where id = $1::bigint and claim = $2 returning id)
       select case when exists (select from held) then 'held'
                   else coalesce((select case when claim = $2 then 'held' else 'another''s' end
                                    from outbox where id = $1::bigint), 'gone') end as outcome`,
      [id, claim, until],
      "kept",
    ),
    (rows) => readRenewed(rows)[0].outcome,
  )

/** Further attempts are given this payload in place of the one that it has. Nothing happens if the row is not held any more. */
export const changePayload = (database: QueryDatabase, { id, claim }: ClaimedRowId, payload: object) =>
  database.query("update outbox set payload = $3::text::jsonb where id = $1::bigint and claim = $2", [
    id,
    claim,
    JSON.stringify(payload),
  ])

/** It is done. */
export const endRow = (database: QueryDatabase, { id, claim }: ClaimedRowId) =>
  database.query("delete from outbox where id = $1::bigint and claim = $2", [id, claim], "kept")

/** It failed, and is tried again at a time. */
export const putOff = (database: QueryDatabase, { id, claim }: ClaimedRowId, next: number, error: string) =>
  database.query(
    "update outbox set claim = null, next_at = $3::bigint, last_error = $4 where id = $1::bigint and claim = $2",
    [id, claim, next, error],
    "kept",
  )

export const giveUp = (database: QueryDatabase, { id, claim }: ClaimedRowId, now: number, error: string) =>
  database.query(
    "update outbox set claim = null, given_up_at = $3::bigint, last_error = $4 where id = $1::bigint and claim = $2",
    [id, claim, now, error],
    "kept",
  )

/**
 * Gives back what was claimed and not begun, or not ended: as if it had not been claimed. At once by the program's clock, where
 * that of the database is ahead.
 */
export const release = (
  database: QueryDatabase,
  rows: ReadonlyArray<ClaimedRowId & Pick<ClaimedRow, "attempts">>,
  now: number,
) =>
  Effect.forEach(
    rows,
    ({ id, claim, attempts }) =>
      database.query(
        `update outbox set claim = null, next_at = least(due_at, $3::bigint), attempts = $4
          where id = $1::bigint and claim = $2`,
        [id, claim, now, attempts],
      ),
    { discard: true },
  )

const readKinds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ kind: Schema.String })))

/** Claims of processes that do not live any more are free. */
export const freeClaims = (database: QueryDatabase, now: number) =>
  database.query("select free_outbox_claims_v1($1)", [now])

/** Those of the kinds of which something can be claimed, or waits for what is done before it. */
export const findDueKinds = (database: QueryDatabase, kinds: ReadonlyArray<string>, now: number) =>
  Effect.map(
    database.query(
      `select k.kind from jsonb_array_elements_text($1::text::jsonb) as k(kind)
        where (select o.next_at from outbox as o
                where o.kind = k.kind and o.given_up_at is null order by o.next_at limit 1) <= $2::bigint`,
      [JSON.stringify(kinds), now],
    ),
    (rows) => readKinds(rows).map(({ kind }) => kind),
  )

/** Deletes rows that were given up before a time, some at once; answers how many. */
export const forgetGivenUp = (database: QueryDatabase, before: number) =>
  Effect.map(
    database.query(
      `delete from outbox where id in (select id from outbox where given_up_at < $1::bigint limit 1000) returning id`,
      [before],
    ),
    (rows) => rows.length,
  )
