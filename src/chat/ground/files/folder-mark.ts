/**
 * The mark of the folder for files: the database that its files belong to (db/open/identity.ts). The sweep removes what its own
 * database does not name, so two databases on one folder would take each other's files: another one is refused, by a server at
 * its start and by each command.
 */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { constants, copyFile, link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { markFile } from "../../../config/folder-mark-file.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { oneLine } from "../../../db/one-line.ts"
import { type DatabaseIdentity, isGoneFrom } from "../../../db/open/identity.ts"
import { RealmId } from "../../../ids.ts"
import type { FileName } from "./files.ts"
import type { FilesInUse } from "./sweep-files.ts"
import { isMissing, walkFiles } from "./walk-files.ts"

/** The folder's files are another database's; `message` is one line for the operator. */
export class FilesRefused extends Data.TaggedError("FilesRefused")<{ readonly message: string }> {}

const Mark = Schema.fromJsonString(
  Schema.Struct({ database: Schema.String, kind: Schema.Literals(["pglite", "postgres"]), place: Schema.String }),
)
const readMark = Schema.decodeUnknownOption(Mark)

/** Files of an unmarked folder that are looked at. */
const mostLooked = 1000
/** A file is stored before its row is committed, and what a crash leaves is swept after a day, each six hours. */
const unsweptMilliseconds = 31 * 3600_000

const refused = (folder: string, whose: string) =>
  new FilesRefused({
    message: `The files in ${folder} belong to ${whose}: give this one a folder of its own (PARLEY_FILES_DIR, PARLEY_DATA_DIR); if they are this one's all the same, say so with: parley files adopt`,
  })

const attempt = <A>(folder: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new FilesRefused({ message: `The folder for files ${folder} cannot be used: ${oneLine(error)}` }),
  })

/** null: there is none. A power cut may leave an empty one, or zeros, of a server that does not sync. */
const read = (folder: string) =>
  attempt(folder, async () => {
    const text = await readFile(join(folder, markFile), "utf8").catch((error: unknown) => {
      if (isMissing(error)) return ""
      throw error
    })
    return text.replaceAll("\0", "").trim() === "" ? null : text
  })

/** Of two that mark a folder at once the first has it. `isOver`: whether a mark that is there is replaced. */
const write = (folder: string, identity: DatabaseIdentity, isOver: boolean) =>
  attempt(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = join(folder, `${markFile}.${randomBytes(6).toString("hex")}`)
    const handle = await open(draft, "wx", 0o600)
    await handle
      .writeFile(`${JSON.stringify(identity)}\n`)
      .then(() => handle.sync())
      .finally(() => handle.close())
    const place = join(folder, markFile)
    const mark = isOver
      ? rename(draft, place)
      : link(draft, place).catch(() => copyFile(draft, place, constants.COPYFILE_EXCL))
    await mark.finally(() => rm(draft, { force: true }))
  })

/** The files of one organization and room, by the question that asks for their rows. */
const namedAmong = Effect.fnUntraced(function* (
  database: DatabaseShape,
  kinds: ReadonlyArray<FilesInUse>,
  files: ReadonlyArray<FileName>,
) {
  const named = new Set<FileName>()
  const realmOf = (name: FileName) => Number(name.split("/")[0])
  for (const realm of new Set(files.map(realmOf))) {
    if (!Number.isSafeInteger(realm)) continue
    const names = files.filter((name) => realmOf(name) === realm)
    for (const { folders, findNamed } of kinds) {
      const places = folders.map((each) => `${realm}/${each.join("/")}/`)
      const own = names.filter((name) => places.some((place) => name.startsWith(place)))
      if (own.length > 0) for (const name of yield* findNamed(database, RealmId(realm), own)) named.add(name)
    }
  }
  return named
})

/** Whose the files of a folder without a mark are: this database's where each that has been there for long is named; null: there are none. */
const findOwner = Effect.fnUntraced(function* (
  folder: string,
  database: DatabaseShape,
  kinds: ReadonlyArray<FilesInUse>,
) {
  const files = yield* attempt(folder, async () => {
    const found: Array<FileName> = []
    for await (const name of walkFiles(folder)) if (found.push(name) >= mostLooked) break
    return found
  })
  const named = yield* namedAmong(database, kinds, files)
  const others = files.filter((name) => !named.has(name))
  if (others.length === 0) return named.size === 0 ? null : "own"
  if (named.size === 0) return "unknown"
  const times = yield* attempt(folder, () => Promise.all(others.map((name) => stat(join(folder, ...name.split("/"))))))
  return times.every(({ mtimeMs }) => Date.now() - mtimeMs < unsweptMilliseconds) ? "own" : "unknown"
})

/** Whether an empty folder cannot be right: what rows name is in another one, that of the processes which serve the database together. */
const lacksFiles = Effect.fnUntraced(function* (database: DatabaseShape, kinds: ReadonlyArray<FilesInUse>) {
  if (database.cluster === undefined) return false
  for (const { isAnyNamed } of kinds) if (yield* isAnyNamed(database)) return true
  return false
})

/** Fails where the folder is another database's. Answers whether it bears this one's mark, as it should; it writes nothing. */
export const requireOwnFiles = Effect.fnUntraced(function* (
  folder: string,
  identity: DatabaseIdentity,
  database: DatabaseShape,
  kinds: ReadonlyArray<FilesInUse>,
) {
  const text = yield* read(folder)
  if (text === null) {
    const owner = yield* findOwner(folder, database, kinds)
    if (owner === "unknown") return yield* refused(folder, "no database that is known, and this one does not name them")
    if (owner === null && (yield* lacksFiles(database, kinds)))
      return yield* new FilesRefused({
        message: `The folder for files ${folder} is empty, and this database names files: set PARLEY_FILES_DIR to the folder that all processes share; if they are lost, take this one with: parley files adopt`,
      })
    return false
  }
  const mark = Option.getOrNull(readMark(text))
  if (mark === null)
    return yield* new FilesRefused({
      message: `The mark ${join(folder, markFile)} cannot be read: is it from a newer Parley?`,
    })
  if (mark.database !== identity.database) return yield* refused(folder, "another database")
  if (mark.place === identity.place) return true
  if (mark.kind === "pglite" && identity.kind === "pglite" && isGoneFrom(mark.place, folder)) return false
  return yield* refused(folder, "the database of which this one is a copy")
})

/** Marks the folder, where that is allowed. One that cannot be written is told, and stays without: nothing is removed from it either. */
export const claimFiles = Effect.fnUntraced(function* (
  folder: string,
  identity: DatabaseIdentity,
  database: DatabaseShape,
  kinds: ReadonlyArray<FilesInUse>,
) {
  if (yield* requireOwnFiles(folder, identity, database, kinds)) return
  const isOver = existsSync(join(folder, markFile))
  yield* Effect.catch(write(folder, identity, isOver), ({ message }) =>
    // Another that starts at the same moment has marked it, or nobody can.
    Effect.flatMap(read(folder), (now) =>
      now === null || isOver
        ? Effect.logWarning(message)
        : Effect.asVoid(requireOwnFiles(folder, identity, database, kinds)),
    ),
  )
})

/** The operator says whose they are. */
export const adoptFiles = (folder: string, identity: DatabaseIdentity) => write(folder, identity, true)
