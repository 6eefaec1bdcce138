/** Reads invitations, which only the database holds (invitations.sql), and forgets those that are long over. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../../../api/endpoint.ts"
import { requesterName } from "../../../api/endpoint.ts"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { UserReads } from "../../../db/reads.ts"
import { idSchemas, type RealmId } from "../../../ids.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { parseJson } from "../../../json.ts"
import { roleNumbers } from "../../ground/realm/domain-values.ts"

const Invitation = Schema.Struct({
  id: Schema.Number,
  inviter_id: idSchemas.user,
  /** null: a link by which anybody may come. */
  email: Schema.NullOr(Schema.String),
  role: Schema.Literals(roleNumbers),
  channel_ids: Schema.Array(idSchemas.channel),
  group_ids: Schema.Array(idSchemas.group),
  includes_defaults: Schema.Boolean,
  /** null: the organization's. */
  welcome_text: Schema.NullOr(Schema.String),
  notifies: Schema.Boolean,
  seed: Schema.String,
  invited_at: Schema.Number,
  expires_at: Schema.NullOr(Schema.Number),
  is_ended: Schema.Boolean,
  is_open: Schema.Boolean,
})
export type Invitation = typeof Invitation.Type

const readInvitation = Schema.decodeUnknownSync(Schema.NullOr(Invitation))

const find = Effect.fnUntraced(function* (realm: RealmId, which: "id" | "link_hash", value: number | string) {
  const database = yield* Database
  const now = (yield* Clock).now()
  const [row] = yield* database.query(
    `select invitation_json_v1($3::bigint, realm_id, id)::text as found from invitation
      where realm_id = $1 and ${which} = $2`,
    [realm, value, now],
  )
  return row === undefined ? null : readInvitation(parseJson(String(row["found"])))
})

/** With those that are over; null: there is none of this id. */
export const findInvitation = (realm: RealmId, id: number) => find(realm, "id", id)

/** Finds the invitation of a link by its hash, with those that are over. */
export const findInvitationByLink = (realm: RealmId, hash: string) => find(realm, "link_hash", hash)

const Links = Schema.Array(
  Schema.Struct({
    id: Schema.Number,
    invited_by_user_id: idSchemas.user,
    invited: Schema.Number,
    expiry_date: Schema.NullOr(Schema.Number),
    invited_as: Schema.Literals(roleNumbers),
    channel_ids: Schema.Array(idSchemas.channel),
    group_ids: Schema.Array(idSchemas.group),
    seed: Schema.String,
    notify_referrer_on_join: Schema.Boolean,
    is_multiuse: Schema.Boolean,
  }),
)
const readList = Schema.decodeUnknownSync(Schema.Struct({ mailed: Schema.String, links: Links }))

/** About how many bytes `listInvitations` has, and not less. */
export const sizeOfInvitations = Effect.fnUntraced(function* ({ realm, user }: Caller, ofAll: boolean) {
  const reading = (yield* UserReads).begin(requesterName({ realm, user }))
  const now = (yield* Clock).now()
  const [row] = yield* reading.query("select size_of_invitations_v1($1, $2::integer, $3::bigint) as bytes", [
    realm,
    ofAll ? null : user,
    now,
  ])
  return Number(row?.["bytes"])
})

/** The open invitations, of the caller or of all: those by mail as JSON, joined by commas, and the links. */
export const listInvitations = Effect.fnUntraced(function* (caller: Caller, ofAll: boolean) {
  const reading = (yield* UserReads).begin(requesterName(caller))
  const now = (yield* Clock).now()
  const [row] = yield* reading.query("select list_invitations_v2($1, $2::integer, $3::bigint)::text as found", [
    caller.realm,
    ofAll ? null : caller.user,
    now,
  ])
  return readList(parseJson(String(row?.["found"])))
})

const readAddresses = Schema.decodeUnknownSync(Schema.Array(Schema.String))

/** Of some folded addresses those to which so many invitations were mailed since a time. */
export const findMailed = Effect.fnUntraced(function* (
  realm: RealmId,
  addresses: ReadonlyArray<string>,
  since: number,
  most: number,
) {
  const [row] = yield* (yield* Database).query(
    "select often_invited_v1($1::integer, $2::text::jsonb, $3::bigint, $4::integer)::text as found",
    [realm, JSON.stringify(addresses), since, most],
  )
  return readAddresses(parseJson(String(row?.["found"])))
})

/** How long an invitation that is over is kept: who revokes a link twice hears that it was revoked. */
const keptMilliseconds = 30 * 24 * 3600_000

export const forgetInvitationsJob = periodicOnce({
  name: "invitations that are over",
  everyMilliseconds: 3600_000,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted()) return
    const now = (yield* Clock).now()
    const database = yield* Database
    for (const { id } of yield* database.query("select id from realm order by id"))
      yield* database.query("select end_invitations_v1($1, $2::bigint)", [Number(id), now])
    const forgetSome = Effect.map(
      database.query("select forget_invitations_v1($1::bigint) as many", [now - keptMilliseconds]),
      ([row]) => Number(row?.["many"]),
    )
    while ((yield* forgetSome) > 0);
  }),
})
