/**
 * Writes an export into an archive: the lists of the organization, its custom emoji, then messages, about a thousand in an
 * entry, each followed by the bytes of the files that its messages link and none before did. What is in it is described in
 * docs/export.md.
 */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../../api/errors.ts"
import type { RealmId } from "../../../ids.ts"
import { type FileName, Files } from "../../ground/files/files.ts"
import { storedName } from "../../reading/attachments/file-names.ts"
import { customEmojiPart } from "../../text/emoji/custom-emoji.ts"
import { emojiFile } from "../realm-emoji/emoji-pictures.ts"
import type { ExportArchive } from "./export-archive.ts"
import { addLists, type ExportEntry, entryCharacters, numbered } from "./export-contents.ts"
import type { ExportRecord } from "./export-list.ts"
import { type ExportedPart, type ExportSource, forEachPart, wireFile } from "./export-messages.ts"
import type { ExportedFile } from "./export-messages-store.ts"

/** An entry of messages ends behind the part with which it has so many, or as many characters as one of a list. */
const entryMessages = 1000

/** The form of the whole, for programs that read exports. */
const exportFormat = 1

const attempt = (work: () => Promise<void>): Effect.Effect<void, Unavailable> =>
  Effect.tryPromise({ try: work, catch: (error) => new Unavailable({ reason: `writing an export: ${String(error)}` }) })

/** The end of a file's name, where it is short and plain: programs know by it what a file is. */
const endingOf = (name: string): string => (/\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? "").toLowerCase()

const makeWriting = (archive: ExportArchive, realm: RealmId) => {
  const counts = { messages: 0, entries: 0, files: 0 }
  /** The entries of files that messages link, by the files' ids; null: there are no bytes of it any more. */
  const written = new Map<number, string | null>()
  let waiting: Array<ExportedPart> = []

  const add = ({ path, pieces }: ExportEntry) => attempt(() => archive.add(path, pieces))

  /** Copies a stored file, if it is there. */
  const copy = Effect.fnUntraced(function* (path: string, name: FileName) {
    const stored = yield* (yield* Files).find(name)
    if (stored === null) return false
    yield* attempt(() => archive.addParts(path, stored.size, stored.read()))
    counts.files += 1
    return true
  })

  const copyOnce = Effect.fnUntraced(function* (file: ExportedFile) {
    if (written.has(file.id)) return
    const stored = storedName(realm, file.path_id)
    const path = `uploads/${numbered(file.id)}${endingOf(file.name)}`
    const isThere = stored !== null && (yield* copy(path, stored))
    written.set(file.id, isThere ? path : null)
  })

  /** Writes the messages that wait: their files first, so that the list of these says which are there. */
  const flush = Effect.gen(function* () {
    const parts = waiting
    waiting = []
    if (parts.length === 0) return
    const files = parts.flatMap((part) => part.files)
    for (const file of files) yield* copyOnce(file)
    const attachments = files.map((file) => JSON.stringify(wireFile(file, written.get(file.id) ?? null)))
    counts.entries += 1
    counts.messages += parts.reduce((sum, { messages }) => sum + messages.length, 0)
    yield* add({
      path: `messages/${numbered(counts.entries)}.json`,
      pieces: [
        Buffer.from('{"messages":['),
        ...parts.map(({ messages }, n) => Buffer.from(`${n === 0 ? "" : ","}${messages.join(",")}`)),
        Buffer.from(`],"attachments":[${attachments.join(",")}]}`),
      ],
    })
  })

  const take = Effect.fnUntraced(function* (part: ExportedPart) {
    if (part.messages.length === 0) return
    waiting.push(part)
    const messages = waiting.reduce((sum, each) => sum + each.messages.length, 0)
    const characters = waiting.reduce((sum, each) => sum + each.characters, 0)
    if (messages >= entryMessages || characters >= entryCharacters) yield* flush
  })

  return { add, copy, take, flush, counts }
}

/** Writes all and ends the archive. `last`: the id up to which messages are exported; `now`: milliseconds since the Unix epoch. */
export const writeExport = Effect.fnUntraced(function* (
  archive: ExportArchive,
  exporting: ExportSource,
  { id, type, origin }: ExportRecord,
  now: number,
) {
  const { realm, scope } = exporting
  const last = realm.position
  const writing = makeWriting(archive, realm.id)
  yield* addLists(realm, scope, origin, writing.add)
  for (const { file, still } of [...realm.part(customEmojiPart).values()])
    for (const picture of still === null ? [file] : [file, still])
      yield* writing.copy(`emoji/${picture}`, emojiFile(realm.id, picture))
  yield* forEachPart(exporting, last, writing.take)
  yield* writing.flush
  const { messages, files } = writing.counts
  const about = { form: exportFormat, id, export_type: type, made_at: now / 1000, host: realm.host, messages, files }
  yield* writing.add({ path: "export.json", pieces: [Buffer.from(JSON.stringify(about))] })
  yield* attempt(() => archive.end())
})
