/**
 * Removes uploaded files that are nobody's: those that no message has linked for a week, and stored ones without a row,
 * which crashes and uncertain commits leave. Run by the server's periodic jobs.
 */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { Database, type DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import { type FileName, Files, fileName, type ListedFile } from "../../ground/files/files.ts"
import { removedFileRow } from "../../ground/kinds/attachment-row.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { changeFiles } from "./changes.ts"
import { pathBeginning, storedNames } from "./file-names.ts"
import { findActiveRealms, findOldFiles, findWithoutRow } from "./orphans-store.ts"

const unclaimedMilliseconds = 7 * 24 * 3600 * 1000
/** A file is stored some moments before its row is committed, and an uncertain commit is settled within an hour. */
const rowlessMilliseconds = 24 * 3600 * 1000
/** Files that one statement looks at. */
const filesAtOnce = 200

/** It was linked or deleted after it was found. */
const stays = badRequest("The file stays")

const removeUnclaimed = Effect.fnUntraced(function* (database: DatabaseShape, realm: RealmId, before: number) {
  const realms = yield* Realms
  const files = yield* Files
  for (let after = 0; ; ) {
    const found = yield* findOldFiles(database, realm, before, after, filesAtOnce)
    for (const file of found) {
      if (file.is_claimed) continue
      const { id, owner_id } = file
      const command = { judge: () => changeFiles(removedFileRow(owner_id, id, true), { claimed: stays, gone: stays }) }
      const removeBytes = Effect.forEach(storedNames(realm, file), (name) => files.remove(name), { discard: true })
      const remove = Effect.andThen(realms.submit(realm, command), removeBytes)
      yield* Effect.catchTag(remove, "ApiError", () => Effect.void)
    }
    const last = found.at(-1)
    if (last === undefined || found.length < filesAtOnce) return
    after = last.id
  }
})

const shards: ReadonlyArray<string> = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"))

/** `folder`: what is looked through, uploads or their thumbnails. */
const removeRowless = Effect.fnUntraced(function* (
  database: DatabaseShape,
  realm: RealmId,
  folder: "uploads" | "thumbnails",
  before: number,
) {
  const files = yield* Files
  for (const shard of shards) {
    const listed: ReadonlyArray<ListedFile> = yield* files.list(fileName(String(realm), folder, shard))
    const old = new Map<string, Array<FileName>>()
    for (const { name, storedAt } of listed) {
      if (storedAt >= before) continue
      const beginning = pathBeginning(name)
      old.set(beginning, [...(old.get(beginning) ?? []), name])
    }
    const beginnings = [...old.keys()]
    for (let at = 0; at < beginnings.length; at += filesAtOnce) {
      const without = yield* findWithoutRow(database, realm, beginnings.slice(at, at + filesAtOnce))
      for (const beginning of without) for (const name of old.get(beginning) ?? []) yield* files.remove(name)
    }
  }
})

/**
 * `now`: milliseconds since the Unix epoch. Of all organizations that are active: one that nobody has asked for since the
 * start is loaded only where a row goes.
 */
export const removeOrphans = Effect.fnUntraced(function* (now: number) {
  const database = yield* Database
  const removeOf = Effect.fnUntraced(function* (realm: RealmId) {
    yield* removeUnclaimed(database, realm, now - unclaimedMilliseconds)
    for (const folder of ["uploads", "thumbnails"] as const)
      yield* removeRowless(database, realm, folder, now - rowlessMilliseconds)
  })
  // One that cannot be loaded does not end it for those behind it.
  for (const realm of yield* findActiveRealms(database))
    yield* Effect.catchCause(removeOf(realm), (cause) => Effect.logError("files that are nobody's", cause))
})
