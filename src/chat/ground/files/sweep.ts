/**
 * Removes files that no row names: crashes, commits of unknown outcome and defects leave them (stored-with.ts). A room
 * whose rows name files says where these are and which of them are named; all are listed in chat/rooms.ts. Run by
 * the server's periodic jobs.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import { Database, type DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import { findActiveRealms } from "./active-realms-store.ts"
import { type FileName, Files, fileName } from "./files.ts"

/** Files that are named by the rows of one room. */
export interface NamedFiles {
  /** Their folders within that of the organization, each as its segments. Each is listed by itself. */
  readonly folders: ReadonlyArray<ReadonlyArray<string>>
  /** Those of some files of these folders that a row of the organization names. */
  readonly findNamed: (
    database: DatabaseShape,
    realm: RealmId,
    names: ReadonlyArray<FileName>,
  ) => Effect.Effect<ReadonlySet<FileName>, Unavailable>
}

/** A file is stored some moments before its row is committed, and an uncertain commit is settled within an hour. */
const unnamedMilliseconds = 24 * 3600 * 1000
/** Files that one statement looks at. */
const filesAtOnce = 200

/** `now`: milliseconds since the Unix epoch. Of all organizations that are active; none is loaded for it. */
export const sweepFiles = Effect.fnUntraced(function* (kinds: ReadonlyArray<NamedFiles>, now: number) {
  const database = yield* Database
  const files = yield* Files
  const sweep = Effect.fnUntraced(function* (realm: RealmId, { folders, findNamed }: NamedFiles) {
    for (const folder of folders) {
      const listed = yield* files.list(fileName(String(realm), ...folder))
      const old = listed.filter(({ storedAt }) => storedAt < now - unnamedMilliseconds).map(({ name }) => name)
      for (let at = 0; at < old.length; at += filesAtOnce) {
        const names = old.slice(at, at + filesAtOnce)
        const named = yield* findNamed(database, realm, names)
        for (const name of names) if (!named.has(name)) yield* files.remove(name)
      }
    }
  })
  // A folder that cannot be looked through does not end it for those behind it.
  for (const realm of yield* findActiveRealms(database))
    for (const kind of kinds)
      yield* Effect.catchCause(sweep(realm, kind), (cause) => Effect.logError("files that no row names", cause))
})
