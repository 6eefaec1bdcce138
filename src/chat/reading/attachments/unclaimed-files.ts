/**
 * Removes uploaded files that no message has linked for a week. Stored files without a row are removed by
 * files/sweep-files.ts.
 */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Database, type DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { findActiveRealms } from "../../ground/files/active-realms-store.ts"
import { Files } from "../../ground/files/files.ts"
import { removedFileRow } from "../../ground/kinds/attachment-row.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { changeFiles } from "./attachment-changes.ts"
import { storedNames } from "./file-names.ts"
import { findFiles, findOldFiles, type UnclaimedFile } from "./unclaimed-files-store.ts"

const everyMilliseconds = 6 * 3600_000
const unclaimedMilliseconds = 7 * 24 * 3600 * 1000
/** Files that one statement looks at. */
const filesAtOnce = 200

/** It was linked or deleted after it was found. */
const stays = badRequest("The file stays")

const removeFiles = Effect.fnUntraced(function* (realm: RealmId, found: ReadonlyArray<UnclaimedFile>) {
  const realms = yield* Realms
  const files = yield* Files
  for (const file of found) {
    if (file.is_claimed) continue
    const { id, owner_id } = file
    const command = { judge: () => changeFiles(removedFileRow(owner_id, id, true), { claimed: stays, gone: stays }) }
    const removeBytes = Effect.forEach(storedNames(realm, file), (name) => files.remove(name), { discard: true })
    const remove = Effect.andThen(realms.submit(realm, command), removeBytes)
    yield* Effect.catchTag(remove, "ApiError", () => Effect.void)
  }
})

/** Removes those of the files that nothing links any more, at once. */
export const removeUnlinked = Effect.fnUntraced(function* (realm: RealmId, ids: ReadonlyArray<number>) {
  if (ids.length > 0) yield* removeFiles(realm, yield* findFiles(yield* Database, realm, ids))
})

const removeOf = Effect.fnUntraced(function* (database: DatabaseShape, realm: RealmId, before: number) {
  for (let after = 0; ; ) {
    const found = yield* findOldFiles(database, realm, before, after, filesAtOnce)
    yield* removeFiles(realm, found)
    const last = found.at(-1)
    if (last === undefined || found.length < filesAtOnce) return
    after = last.id
  }
})

/**
 * `now`: milliseconds since the Unix epoch. Of all organizations that are active: one that nobody has asked for since the
 * start is loaded only where a row goes.
 */
export const removeUnclaimed = Effect.fnUntraced(function* (now: number) {
  const database = yield* Database
  // One that cannot be loaded does not end it for those behind it.
  for (const realm of yield* findActiveRealms(database))
    yield* Effect.catchCause(removeOf(database, realm, now - unclaimedMilliseconds), (cause) =>
      Effect.logError("files that no message links", cause),
    )
})

export const unclaimedJob = periodicOnce({
  name: "files that no message links",
  everyMilliseconds,
  run: Effect.gen(function* () {
    if ((yield* ClockWatch).isTrusted()) yield* removeUnclaimed((yield* Clock).now())
  }),
})
