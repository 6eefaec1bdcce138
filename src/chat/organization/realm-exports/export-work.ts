/**
 * Makes exports, for the outbox: writes the file under a name that nobody knows yet, then commits that it is there together
 * with the end of its row. After a kill in between it is made again, under another name; what is left of the first goes with
 * the files that no row names. What fails again and again is said to have failed.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { badRequest, type RequestFailure, Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { change, type Judgement, refused } from "../../../events/command.ts"
import { ending, type OutboxEntry } from "../../../jobs/outbox/outbox-entry.ts"
import { outboxKind } from "../../../jobs/outbox/outbox-kind.ts"
import { changePayload } from "../../../jobs/outbox/outbox-store.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { ExportArchive } from "./export-archive.ts"
import {
  type ExportRecord,
  exportFile,
  isPending,
  newToken,
  realmExports,
  withExport,
  withNewestFiles,
} from "./export-list.ts"
import {
  ExportOmissions,
  hasLostNothing,
  type LostAccess,
  noLostAccess,
  noOmissions,
  withLostAccess,
} from "./export-omissions.ts"
import { ExportWitnesses, findScope } from "./export-scope.ts"
import { removeFiles } from "./old-exports.ts"
import { exportsRow } from "./realm-export-event.ts"
import { writeExport } from "./write-export.ts"

/** After so many attempts that failed, or ended their process, it has failed. */
const mostTries = 5
const longestMilliseconds = 6 * 3600_000
/** So soon after a kill it is begun again. */
const renewsMilliseconds = 60_000

const DueExport = Schema.Struct({ id: Schema.Number, left_out: Schema.optionalKey(ExportOmissions) })
const encodeDue = Schema.encodeSync(DueExport)
type ExportOutboxEntry = OutboxEntry<typeof DueExport.Type>

/** Somebody else has ended it meanwhile: the file is one too many. */
const endedElsewhere = badRequest("The export has ended already")

const findPending = (realm: Realm, id: number): ExportRecord | undefined => {
  const found = realm.part(realmExports).find(id)
  return found !== undefined && isPending(found) ? found : undefined
}

/**
 * Commits how it ended, and the end of its row; the files of older ones go. `isRight`: whether it may end so by the rules of now.
 */
const end = Effect.fnUntraced(function* (
  entry: ExportOutboxEntry,
  how: (realm: Realm) => Partial<ExportRecord>,
  isRight: (realm: Realm) => boolean = () => true,
) {
  const { guard, step } = ending(entry)
  const tokens = yield* (yield* Realms).submit(entry.realm, {
    judge: (realm): Judgement<ReadonlyArray<string>> => {
      const record = findPending(realm, entry.payload.id)
      if (record === undefined) return refused(endedElsewhere)
      if (!isRight(realm)) return refused(new Unavailable({ reason: "somebody may not read any more what is in it" }))
      const ended = withExport(realm.part(realmExports).list, { ...record, ...how(realm) })
      const { list, tokens } = withNewestFiles(ended, realm.now())
      return change<ReadonlyArray<string>>([exportsRow(realm, list), step], {
        answer: () => tokens,
        guard,
        refused: { gone: refused(endedElsewhere) },
      })
    },
  })
  yield* removeFiles(entry.realm, tokens)
})

/** Further attempts are made without what was lost by this one. */
const noteLost = Effect.fnUntraced(function* (
  entry: ExportOutboxEntry,
  realm: Realm,
  leftOut: ExportOmissions,
  lost: LostAccess,
) {
  if (hasLostNothing(lost)) return
  const left_out = withLostAccess(realm, leftOut, lost)
  const [channels, people] = [[...lost.channels.keys()].join(", "), [...lost.people].join(", ")]
  yield* Effect.logWarning(
    `export ${entry.payload.id} of realm ${realm.id} has lost what may not be in it any more: channels [${channels}], people [${people}]`,
  )
  yield* changePayload(yield* Database, entry, encodeDue({ ...entry.payload, left_out }))
})

const make = Effect.fnUntraced(function* (entry: ExportOutboxEntry, realm: Realm, record: ExportRecord) {
  const clock = yield* Clock
  const actor = realm.users.get(record.acting_user_id)
  if (actor === undefined) return yield* new Unavailable({ reason: "nobody has wanted it" })
  const leftOut = entry.payload.left_out ?? noOmissions
  const scope = yield* findScope(realm, record.type, leftOut)
  let lost = noLostAccess
  const witnesses = new ExportWitnesses()
  const archive = new ExportArchive(clock.now())
  const token = newToken()
  const commit = end(
    entry,
    () => ({ token }),
    (now) => {
      lost = witnesses.findLost(now, scope)
      return hasLostNothing(lost)
    },
  )
  const store = storeWithRow([{ name: exportFile(realm.id, token), bytes: archive.bytes }], commit)
  const write = writeExport(archive, { realm, scope, witnesses, actor }, record, clock.now())
  // Either of them that fails ends the other: the one by the archive, the other by being interrupted.
  yield* Effect.all([store, write], { concurrency: 2, discard: true }).pipe(
    Effect.ensuring(Effect.sync(() => archive.abandon())),
    Effect.tapError(() => noteLost(entry, realm, leftOut, lost)),
  )
})

const run = Effect.fnUntraced(function* (entry: ExportOutboxEntry) {
  const { realm } = yield* (yield* Realms).get(entry.realm)
  const record = findPending(realm, entry.payload.id)
  // A commit of which no answer came, or one before this.
  if (record === undefined) return
  const fail = end(entry, (now) => ({ failed_at: now.now() }))
  if (entry.attempts > mostTries || realm.isDeactivated) return yield* fail
  yield* Effect.catch(make(entry, realm, record), (failure: RequestFailure) =>
    Effect.andThen(
      Effect.logError(`export ${record.id} of realm ${realm.id} failed`, failure),
      entry.attempts < mostTries ? Effect.fail(failure) : fail,
    ),
  )
})

export const exportKind = outboxKind({
  name: "realm export",
  payload: DueExport,
  run,
  // Each reads as much as a search that goes on and on.
  concurrency: 2,
  isOverall: true,
  patienceMilliseconds: longestMilliseconds,
  renewsMilliseconds,
  // Those that end the process in the middle are ended by `run`.
  mostAttempts: 1000,
  backOff: { firstMilliseconds: 10_000, longestMilliseconds: 10 * 60_000 },
})
