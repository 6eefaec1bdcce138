/** Ends exports when they have been there for long: their addresses answer no more, and the disk has their room again. */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import type { RealmId } from "../../../ids.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { Files } from "../../ground/files/files.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { findWithOld } from "./export-files-store.ts"
import { exportFile, realmExports, withoutFiles } from "./export-list.ts"
import { exportsRow } from "./realm-export-event.ts"

/** From when an export is wanted until its file goes. */
const keptMilliseconds = 14 * 24 * 3600_000
const everyMilliseconds = 3600_000

/** Files that no record names any more. One that cannot be removed now goes with those that no row names. */
export const removeFiles = Effect.fnUntraced(function* (realm: RealmId, tokens: ReadonlyArray<string>) {
  const files = yield* Files
  for (const token of tokens) yield* Effect.ignore(files.remove(exportFile(realm, token)))
})

const endOld = Effect.fnUntraced(function* (id: RealmId, before: number) {
  const tokens = yield* (yield* Realms).submit(id, {
    judge: (realm: Realm): Judgement<ReadonlyArray<string>> => {
      const all = realm.part(realmExports).list
      const { list, tokens } = withoutFiles(all, (_token, { made_at }) => made_at < before, realm.now())
      return tokens.length === 0 ? done(tokens) : change([exportsRow(realm, list)], { answer: () => tokens })
    },
  })
  yield* removeFiles(id, tokens)
})

/** `now`: milliseconds since the Unix epoch. Of all organizations that are active. */
export const endOldExports = Effect.fnUntraced(function* (now: number) {
  const before = now - keptMilliseconds
  // One that cannot be loaded does not end it for those behind it.
  for (const realm of yield* findWithOld(yield* Database, before))
    yield* Effect.catchCause(endOld(realm, before), (cause) => Effect.logError("exports of long ago", cause))
})

export const oldExportsJob = periodicOnce({
  name: "exports of long ago",
  everyMilliseconds,
  run: Effect.gen(function* () {
    if ((yield* ClockWatch).isTrusted()) yield* endOldExports((yield* Clock).now())
  }),
})
