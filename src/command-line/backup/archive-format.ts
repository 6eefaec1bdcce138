/**
 * What an archive of a backup is: a tar file, packed by gzip, so that other programs list and unpack it, too. Its entries,
 * in this order:
 *
 *   parley.json                 what it is, and what is known beside the rows (`ArchiveHeading`)
 *   tables/<table>/<n>.jsonl    rows, each a line with a JSON array of the texts of its columns; n from 1
 *   files/<name>                uploaded files and pictures, by their names in the server's folder for files
 *   end.json                    what must be in it, with a digest of all of that (`ArchiveEnding`): without it an archive is cut off
 */
import { createHash, type Hash } from "node:crypto"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SnapshotContents } from "../../db/archive/snapshot.ts"
import { oneLine } from "../../db/one-line.ts"

/** Why a backup or a restore was not done, in one line for the operator. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

export const fail = (message: string) => new BackupFailed({ message })

/** Work with files; what it throws is a failure, with `what` before the reason. */
export const tried = <A>(what: string, work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, BackupFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => (error instanceof BackupFailed ? error : fail(`${what}: ${oneLine(error)}`)),
  })

export const cannotWrite = "the archive cannot be written"

export const headingPath = "parley.json"
export const endingPath = "end.json"
export const tablePath = (table: string, n: number): string => `tables/${table}/${n}.jsonl`
export const filePath = (name: string): string => `files/${name}`

/** The newest form of archives. */
export const archiveFormat = 1

export const ArchiveHeading = Schema.fromJsonString(
  Schema.Struct({
    /** The form of the archive, above. */
    parleyBackup: Schema.Number,
    /** The version of the program that made it. */
    program: Schema.String,
    madeAt: Schema.String,
    contents: SnapshotContents,
  }),
)
export type ArchiveHeading = typeof ArchiveHeading.Type

export const ArchiveEnding = Schema.fromJsonString(
  Schema.Struct({
    /** How many rows there are of each table. */
    rows: Schema.Record(Schema.String, Schema.Number),
    files: Schema.Number,
    /** Names of files that rows name and that were not there. */
    missing: Schema.Array(Schema.String),
    /** See `ArchiveDigest`. */
    sha256: Schema.String,
  }),
)
export type ArchiveEnding = typeof ArchiveEnding.Type

/** Of all entries before the last: of each its path, a line feed, its size, a line feed, and its bytes. */
export class ArchiveDigest {
  readonly #hash: Hash = createHash("sha256")

  begin(path: string, size: number): void {
    this.#hash.update(`${path}\n${size}\n`)
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  end(): string {
    return this.#hash.digest("hex")
  }
}

/** Tar counts in blocks: a header is one, and what follows it is filled up to whole ones. */
export const blockBytes = 512
export const fillingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes
