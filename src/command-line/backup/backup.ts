/** `parley backup`: one archive of all rows as they are at one moment, and of the files that they name. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { namedFiles } from "../../chat/features.ts"
import type { FileName } from "../../chat/ground/files/files.ts"
import { requireOwnFiles } from "../../chat/ground/files/folder-mark.ts"
import { storedName } from "../../chat/reading/attachments/file-names.ts"
import type { OperatorSettings } from "../../config/read-settings.ts"
import type { CatalogTable } from "../../db/archive/catalog-tables.ts"
import { type Snapshot, takeSnapshot } from "../../db/archive/snapshot.ts"
import type { DatabaseShape } from "../../db/database.ts"
import { readIdentity } from "../../db/open/identity.ts"
import { packageVersion } from "../../db/package-root.ts"
import {
  ArchiveEnding,
  ArchiveHeading,
  archiveFormat,
  cannotWrite,
  endingPath,
  fail,
  filePath,
  headingPath,
  tablePath,
  tried,
} from "./archive-format.ts"
import { ArchiveWriter } from "./archive-writer.ts"
import { BackupProgress, counted, megabytes } from "./backup-progress.ts"
import { findFiles, withFile } from "./files-folder.ts"
import { openSource } from "./read-source.ts"

const writeHeading = Schema.encodeSync(ArchiveHeading)
const writeEnding = Schema.encodeSync(ArchiveEnding)

/** Characters of rows after which an entry ends. */
const entryCharacters = 1024 * 1024

/** Called with each row of `attachment`: the name of its file. */
const attachmentFile = ({ columns }: CatalogTable) => {
  const [realm, path] = ["realm_id", "path_id"].map((name) => columns.findIndex((column) => column.name === name))
  const read = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.NullOr(Schema.String))))
  return (row: string): FileName | null => {
    const texts = read(row)
    return storedName(Number(texts[realm ?? -1]), String(texts[path ?? -1]))
  }
}

/** Writes all rows; answers how many there are of each table, and the names of the files that they need. */
const writeRows = Effect.fnUntraced(function* (snapshot: Snapshot, archive: ArchiveWriter, progress: BackupProgress) {
  const counts: Record<string, number> = {}
  const needed = new Set<FileName>()
  for (const table of snapshot.contents.tables) {
    const fileOf = table.name === "attachment" ? attachmentFile(table) : () => null
    let [count, entries, characters] = [0, 0, 0]
    let rows: Array<string> = []
    const flush = Effect.suspend(() => {
      const text = rows.map((row) => `${row}\n`).join("")
      rows = []
      characters = 0
      entries += 1
      return tried(cannotWrite, () => archive.add(tablePath(table.name, entries), Buffer.from(text)))
    })
    yield* snapshot.read(table, (read) =>
      Effect.gen(function* () {
        for (const row of read) {
          const file = fileOf(row)
          if (file !== null) needed.add(file)
          rows.push(row)
          characters += row.length
          if (characters > entryCharacters) yield* flush
        }
        count += read.length
        progress.rows += read.length
        progress.note(`, table ${table.name}, ${megabytes(archive.bytes)} written`)
      }),
    )
    if (rows.length > 0) yield* flush
    counts[table.name] = count
  }
  return { counts, needed }
})

/** Writes all files; answers the names of those that were there and are gone. */
const writeFiles = async (folder: string, archive: ArchiveWriter, progress: BackupProgress, needed: Set<FileName>) => {
  const gone: Array<string> = []
  for await (const name of findFiles(folder)) {
    const isThere = await withFile(folder, name, (size, parts) => archive.addParts(filePath(name), size, parts))
    if (isThere) progress.files += 1
    else gone.push(name)
    needed.delete(name)
    progress.note(`, ${megabytes(archive.bytes)} written`)
  }
  return gone
}

/** Names that a line has at most. */
const mostNamed = 20

const tellMissing = (missing: ReadonlyArray<string>, tell: (line: string) => void): void => {
  if (missing.length === 0) return
  const more = missing.length > mostNamed ? `, ... (${endingPath} of the archive names all)` : ""
  const what = `${counted(missing.length, "file")} that messages link, or that went away meanwhile`
  tell(`not in the backup, because not there: ${what}: ${missing.slice(0, mostNamed).join(", ")}${more}`)
}

/** Writes all but the end. */
const writeArchive = Effect.fnUntraced(function* (
  settings: OperatorSettings,
  database: DatabaseShape,
  archive: ArchiveWriter,
  tell: (line: string) => void,
) {
  const progress = new BackupProgress(tell)
  const snapshot = yield* takeSnapshot(database)
  const { contents } = snapshot
  const heading: ArchiveHeading = {
    parleyBackup: archiveFormat,
    program: packageVersion(),
    madeAt: new Date().toISOString(),
    contents,
  }
  yield* tried(cannotWrite, () => archive.add(headingPath, Buffer.from(writeHeading(heading))))
  progress.begin("reads the rows")
  const { counts, needed } = yield* writeRows(snapshot, archive, progress)
  if (needed.size > 0 && !existsSync(settings.filesFolder))
    return yield* fail(
      `${counted(needed.size, "file")} should be in ${settings.filesFolder}, which is not there: run this where the server's files are`,
    )
  progress.begin(`${counted(progress.rows, "row")}; reads the files`)
  const gone = yield* tried("the files cannot be read", () =>
    writeFiles(settings.filesFolder, archive, progress, needed),
  )
  const ending = { rows: counts, files: progress.files, missing: [...new Set([...gone, ...needed])].sort() }
  return { contents, progress, ending }
})

/** The files of another database are none of this one's backup. One that no newer program has served has no identity yet. */
const requireFiles = Effect.fnUntraced(function* (
  { filesFolder, database: config }: OperatorSettings,
  database: DatabaseShape,
) {
  const identity = yield* readIdentity(database, config, filesFolder)
  if (identity !== null) yield* requireOwnFiles(filesFolder, identity, database, namedFiles)
})

/**
 * Answers lines that say what the archive has. It is there whole, or not at all. Run as uninterruptible: it lets itself be
 * interrupted as long as there is no archive then.
 */
export const backUp = (settings: OperatorSettings, given: string, tell: (line: string) => void) => {
  const file = resolve(given)
  const archiving = Effect.acquireRelease(
    tried(cannotWrite, () => ArchiveWriter.make(file)),
    (archive, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.promise(() => archive.abandon())),
  )
  const begun = Effect.gen(function* () {
    // Before the database is copied, which may take minutes.
    yield* tried(cannotWrite, () => ArchiveWriter.requirePlace(file))
    const database = yield* openSource(settings, tell)
    yield* requireFiles(settings, database)
    const archive = yield* archiving
    return { archive, ...(yield* writeArchive(settings, database, archive, tell)) }
  })
  return Effect.scoped(
    Effect.gen(function* () {
      const { archive, contents, progress, ending } = yield* Effect.interruptible(begun)
      yield* tried(cannotWrite, () => archive.end(endingPath, (sha256) => writeEnding({ ...ending, sha256 })))
      tellMissing(ending.missing, tell)
      const size = `${counted(progress.rows, "row")}, ${counted(progress.files, "file")}, ${megabytes(archive.bytes)}`
      const logs = contents.realms.map(({ host, position }) => `${host}, up to position ${position} of its log`)
      return [`Backed up to ${file}`, size, ...logs].join("\n")
    }),
  )
}
