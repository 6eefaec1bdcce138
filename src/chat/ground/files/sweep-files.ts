/**
 * Puts away files that no row names: crashes, commits of unknown outcome and defects leave them (store-with-row.ts). A room
 * whose rows name files says where these are and which of them are named; all are listed in chat/features.ts. Run by
 * the server's periodic jobs. What is put away stays for a week, and is told in the log: an operator may take it back.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import { Database, type DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import { findActiveRealms } from "./active-realms-store.ts"
import { type FileName, Files, fileName } from "./files.ts"

/** Files that are named by the rows of one feature. */
export interface FilesInUse {
  /** Their folders within that of the organization, each as its segments. Each is listed by itself. */
  readonly folders: ReadonlyArray<ReadonlyArray<string>>
  /** Those of some files of these folders that a row of the organization names. */
  readonly findNamed: (
    database: DatabaseShape,
    realm: RealmId,
    names: ReadonlyArray<FileName>,
  ) => Effect.Effect<ReadonlySet<FileName>, Unavailable>
  /** Whether a row of any organization names a file. */
  readonly isAnyNamed: (database: DatabaseShape) => Effect.Effect<boolean, Unavailable>
}

/** What `isAnyNamed` is by a query of which one row or none comes. */
export const isAnyFound =
  (sql: string): FilesInUse["isAnyNamed"] =>
  (database) =>
    Effect.map(database.query(sql), (rows) => rows.length > 0)

const dayMilliseconds = 24 * 3600_000
/** A file is stored some moments before its row is committed, and an uncertain commit is settled within an hour. */
const unnamedMilliseconds = dayMilliseconds
const trashDays = 7
/** Files that one statement looks at. */
const filesAtOnce = 200
/** Names that a line of the log has at most. */
const mostTold = 20

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

interface SweepCounts {
  readonly all: number
  readonly unnamed: ReadonlyArray<FileName>
}

/** All files of one organization, and those that have been there for a day and that no row names. */
const inspectFiles = Effect.fnUntraced(function* (realm: RealmId, kinds: ReadonlyArray<FilesInUse>, now: number) {
  const database = yield* Database
  const files = yield* Files
  const unnamed: Array<FileName> = []
  let all = 0
  for (const { folders, findNamed } of kinds)
    for (const folder of folders) {
      const listed = yield* files.list(fileName(String(realm), ...folder))
      all += listed.length
      const old = listed.filter(({ storedAt }) => storedAt < now - unnamedMilliseconds).map(({ name }) => name)
      for (let at = 0; at < old.length; at += filesAtOnce) {
        const names = old.slice(at, at + filesAtOnce)
        const named = yield* findNamed(database, realm, names)
        for (const name of names) if (!named.has(name)) unnamed.push(name)
      }
    }
  const looked: SweepCounts = { all, unnamed }
  return looked
})

const told = (names: ReadonlyArray<FileName>): string =>
  names.length > mostTold ? `${names.slice(0, mostTold).join(", ")}, ...` : names.join(", ")

/**
 * More than half of an organization's files without a row are no leftovers: then the rows are another database's, or were lost,
 * and the files are all that is left.
 */
const putAway = Effect.fnUntraced(function* ({ all, unnamed }: SweepCounts, day: string) {
  if (unnamed.length === 0) return
  if (unnamed.length * 2 > all)
    return yield* Effect.logWarning(
      `${unnamed.length} of ${all} files are named by no row, which is too many: they stay. Is this the database to which the folder belongs?`,
      told(unnamed),
    )
  const files = yield* Files
  for (const name of unnamed) yield* files.discard(name, day)
  yield* Effect.logInfo(
    `${unnamed.length} of ${all} files were named by no row, and were put into .trash/${day} for ${trashDays} days`,
    told(unnamed),
  )
})

/** `now`: milliseconds since the Unix epoch. Of all organizations that are active; none is loaded for it. */
export const sweepFiles = Effect.fnUntraced(function* (kinds: ReadonlyArray<FilesInUse>, now: number) {
  const database = yield* Database
  // A folder that cannot be looked through does not end it for those behind it.
  for (const realm of yield* findActiveRealms(database))
    yield* inspectFiles(realm, kinds, now).pipe(
      Effect.flatMap((looked) => putAway(looked, dayOf(now))),
      Effect.annotateLogs({ organization: realm }),
      Effect.catchCause((cause) => Effect.logError("files that no row names", cause)),
    )
  yield* Effect.ignore((yield* Files).forget(dayOf(now - trashDays * dayMilliseconds)))
})
