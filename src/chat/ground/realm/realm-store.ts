/** Lists realms and inserts new ones, and what of accounts no projection holds: passwords. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { RealmId } from "../../../ids.ts"

const readStoredRealms = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Number, host: Schema.String, unfinished: Schema.Boolean })),
)

export interface StoredRealm {
  readonly id: RealmId
  readonly host: string
  /** The demo organization, if filling it was interrupted. */
  readonly unfinished: boolean
}

/** All realms, sorted by id. */
export const listRealms = (database: DatabaseShape): Effect.Effect<ReadonlyArray<StoredRealm>, Unavailable> =>
  Effect.map(database.query("select id, host, settings ? 'unfinished' as unfinished from realm order by id"), (rows) =>
    readStoredRealms(rows).map((row) => ({ ...row, id: RealmId(row.id) })),
  )

/** The organization at a host, which is written in small letters; undefined: there is none. */
export const findRealmAt = (
  database: DatabaseShape,
  host: string,
): Effect.Effect<StoredRealm | undefined, Unavailable> =>
  Effect.map(
    database.query("select id, host, settings ? 'unfinished' as unfinished from realm where host = $1", [host]),
    (rows) => {
      const [found] = readStoredRealms(rows)
      return found && { ...found, id: RealmId(found.id) }
    },
  )

/** Inserts a realm with its lock and its system groups. */
export const insertRealm = (
  database: DatabaseShape,
  realm: { readonly id: number; readonly host: string; readonly epoch: string },
  settings: string,
  groups: string,
  time: number | null,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query("select create_realm_v1($1, $2, $3, $4, $5, $6, $7)", [
      realm.id,
      realm.host,
      realm.epoch,
      database.holder,
      settings,
      groups,
      time,
    ]),
  )

/** Marks the demo organization as completely filled. */
export const markDemoFinished = (database: DatabaseShape, id: RealmId): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query("update realm set settings = settings - 'unfinished' where id = $1", [id]))

/** The hash of a user's password; null if the user has no password or does not exist. */
export const findPasswordHash = (
  database: DatabaseShape,
  realm: RealmId,
  user: number | undefined,
): Effect.Effect<string | null, Unavailable> =>
  Effect.map(
    database.query("select password_hash from account where realm_id = $1 and id = $2", [realm, user ?? 0]),
    ([row]) => (typeof row?.["password_hash"] === "string" ? row["password_hash"] : null),
  )

/**
 * Replaces the hash of a password by another one of the same password. The only change of an account outside of a
 * commit: it makes no event, because nobody can see it, and no rule depends on it. Whoever has changed the password in
 * between wins, since `old` is not there any more; done twice it changes nothing.
 */
export const renewPasswordHash = (
  database: DatabaseShape,
  realm: RealmId,
  user: number,
  old: string,
  renewed: string,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query("update account set password_hash = $4 where realm_id = $1 and id = $2 and password_hash = $3", [
      realm,
      user,
      old,
      renewed,
    ]),
  )
