/**
 * `parley restore`: fills an empty database, and the folder for files, with what an archive has. The whole archive is read
 * before anything is written. The rows are written in one transaction, with which the files come: a restore that is killed
 * before its commit leaves an empty database, and can be run again. After it all is there, and the next start does the rest.
 */
import { resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { namedFiles } from "../../chat/features.ts"
import { makeFolderFiles } from "../../chat/ground/files/folder-files.ts"
import { claimFiles } from "../../chat/ground/files/folder-mark.ts"
import type { OperatorSettings } from "../../config/read-settings.ts"
import { findSecret } from "../../config/secret.ts"
import { archiveQueryOf } from "../../db/archive/archive-query.ts"
import { beginSnapshotLoad, type SnapshotLoad } from "../../db/archive/load-snapshot.ts"
import { useFolder } from "../../db/data-folders.ts"
import { Database, type DatabaseShape } from "../../db/database.ts"
import { identityOf } from "../../db/open/identity.ts"
import { openMigratedDatabase } from "../../db/open/open-database.ts"
import { DatabaseHeld } from "../../db/open-failures.ts"
import { packageVersion } from "../../db/package-root.ts"
import { compareSecret } from "../../db/secret-fingerprint.ts"
import { readBuiltSql, type Sql } from "../../db/sql/built-sql.ts"
import { migrate } from "../../db/sql/migrate.ts"
import { newestVersion } from "../../db/sql/migrations.ts"
import type { Scripts } from "../../db/statement.ts"
import { type ArchiveHeading, fail, tried } from "./archive-format.ts"
import { type ArchiveEntry, ArchiveReader, checkArchive } from "./archive-reader.ts"
import { BackupProgress, counted } from "./backup-progress.ts"

export interface RestoreRequest {
  readonly file: string
  /** Restores although the secret is not the one that the API keys come from. */
  readonly otherSecret: boolean
}

const cannotRead = "the archive cannot be read"

const requireVersion = ({ program, contents: { version } }: ArchiveHeading, known: number) =>
  version <= known
    ? Effect.void
    : fail(
        `the backup was made by Parley ${program}, with version ${version} of the tables; this is Parley ${packageVersion()}, which knows ${known}: restore it with a newer one`,
      )

const requireSecret = Effect.fnUntraced(function* (
  settings: OperatorSettings,
  { contents }: ArchiveHeading,
  isOther: boolean,
) {
  const secret = yield* Effect.fromResult(findSecret(settings))
  const found = yield* compareSecret(contents.secretFingerprint, secret)
  if (found !== "other" || isOther) return found
  const how =
    secret === null
      ? `a backup has no secret, and there is none here: set PARLEY_SECRET as for the server, or put its file "secret" into ${settings.dataFolder}`
      : "the secret is not the one that the API keys of the backup come from: set PARLEY_SECRET (or the data folder) as for that server"
  return yield* fail(`${how}; with --other-secret it is restored all the same, and all API keys are void`)
})

/** The database, empty or refused, held until the scope closes. */
const openTarget = (settings: OperatorSettings) =>
  Effect.gen(function* () {
    if (settings.secret === null || settings.database.kind === "pglite") yield* useFolder(settings.dataFolder)
    yield* useFolder(settings.filesFolder, "folder for files")
    const opened = openMigratedDatabase(settings.database, [], { isForTransaction: true })
    return yield* Layer.build(opened)
  }).pipe(
    Effect.catchTag("DatabaseHeld", ({ message }) =>
      Effect.fail(new DatabaseHeld({ message: `${message}: end it before a restore` })),
    ),
  )

const loadEntries = Effect.fnUntraced(function* (
  settings: OperatorSettings,
  reader: ArchiveReader,
  loading: SnapshotLoad,
  progress: BackupProgress,
) {
  const { filesFolder, database } = settings
  const files = makeFolderFiles(filesFolder, database.kind === "postgres" || database.sync)
  const entries = reader.entries()
  for (;;) {
    const next = yield* tried(cannotRead, () => entries.next())
    if (next.done === true) return
    const entry: ArchiveEntry = next.value
    if (entry.kind === "rows") {
      yield* loading.add(entry.table, entry.rows)
      progress.rows += entry.rows.length
      progress.note(`, table ${entry.table}`)
    } else if (entry.kind === "file") {
      yield* files.receive(entry.name, entry.parts).pipe(
        Effect.catchTags({
          ApiError: (error) => Effect.die(error),
          Unavailable: ({ reason }) => Effect.fail(fail(`a file cannot be put into ${filesFolder}: ${reason}`)),
        }),
      )
      progress.files += 1
      progress.note()
    }
  }
})

const countIn = (progress: BackupProgress) => (entry: ArchiveEntry) => {
  if (entry.kind === "rows") progress.rows += entry.rows.length
  if (entry.kind === "file") progress.files += 1
  progress.note(" read")
}

/** What a start does, too, with rows that are there. */
const settle = (database: DatabaseShape, opened: Context.Context<Database | Scripts>, sql: Sql) =>
  Effect.gen(function* () {
    // Rows of an older version are brought up to date, as at a start.
    yield* Effect.provide(migrate(sql.migrations, sql.functions), opened)
    // Else statements are planned as for empty tables at first.
    yield* archiveQueryOf(database)("analyze")
  }).pipe(
    Effect.mapError((error) =>
      fail(
        `the rows are restored; start the server, which does the rest: ${error._tag === "Unavailable" ? error.reason : error.message}`,
      ),
    ),
  )

/**
 * Answers lines that say what was restored. Run as uninterruptible: it lets itself be interrupted until the rows are
 * committed.
 */
export const restore = (
  settings: OperatorSettings,
  { file: given, otherSecret }: RestoreRequest,
  tell: (line: string) => void,
) => {
  const file = resolve(given)
  const progress = new BackupProgress(tell)
  const begun = Effect.gen(function* () {
    progress.begin("reads the whole archive, to see that it can be restored")
    const { heading, ending } = yield* tried(cannotRead, () => checkArchive(file, countIn(new BackupProgress(tell))))
    const sql = yield* Effect.promise(readBuiltSql)
    yield* requireVersion(heading, newestVersion(sql.migrations))
    const secret = yield* requireSecret(settings, heading, otherSecret)
    const opened = yield* openTarget(settings)
    const database = Context.get(opened, Database)
    const { filesFolder, database: config } = settings
    const identity = yield* identityOf(database, config, filesFolder)
    yield* claimFiles(filesFolder, identity, database, namedFiles)
    const loading = yield* Effect.provide(
      beginSnapshotLoad(database, sql.migrations, heading.contents, identity.database),
      opened,
    )
    progress.begin("writes rows and files")
    const reader = yield* Effect.acquireRelease(
      Effect.sync(() => new ArchiveReader(file)),
      (opened) => Effect.sync(() => opened.close()),
    )
    yield* tried(cannotRead, () => reader.heading())
    yield* loadEntries(settings, reader, loading, progress)
    return { heading, ending, sql, secret, opened, database, loading }
  })
  return Effect.scoped(
    Effect.gen(function* () {
      const { heading, ending, sql, secret, opened, database, loading } = yield* Effect.interruptible(begun)
      progress.begin("makes it all valid")
      yield* loading.finish
      yield* settle(database, opened, sql)
      return [
        `Restored from ${file}, made at ${heading.madeAt}: ${counted(progress.rows, "row")}, ${counted(progress.files, "file")}`,
        ...heading.contents.realms.map(({ host, position }) => `${host}, up to position ${position} of its log`),
        ...(ending.missing.length === 0 ? [] : [`Missing when it was made: ${counted(ending.missing.length, "file")}`]),
        ...(secret === "other" ? ["All API keys are void: people sign in anew, and bots need new ones"] : []),
      ].join("\n")
    }),
  )
}
