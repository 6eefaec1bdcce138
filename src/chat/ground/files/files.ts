/**
 * The place where the bytes of uploaded files are kept: a folder (folder-files.ts); an object store may follow. Names
 * are made by the program, never by those who upload, so that no file is ever outside of the place for it or takes
 * another's place. A file that was put is on the disk before `put` has ended, whole or not at all.
 */
import * as Brand from "effect/Brand"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiError, Unavailable } from "../../../api/errors.ts"

/** Segments with slashes between them, each of lower-case letters, digits, `-` and `_`, with an ending at most. */
export type FileName = Brand.Branded<string, "FileName">
const brand = Brand.nominal<FileName>()

const segment = "[a-z0-9][a-z0-9_-]{0,99}(?:\\.[a-z0-9]{1,10})?"
const wholeName = new RegExp(`^${segment}(?:/${segment}){0,7}$`)

/** Undefined for a text that is no name of a file, such as one that leads out of the folder. */
export const findFileName = (text: string): FileName | undefined => (wholeName.test(text) ? brand(text) : undefined)

/** The name of these segments, which the program has chosen. */
export const fileName = (...segments: ReadonlyArray<string>): FileName => {
  const found = findFileName(segments.join("/"))
  if (found === undefined) throw new Error(`no name of a file: ${segments.join("/")}`)
  return found
}

/** A part of a file, from `start` until before `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface StoredFile {
  readonly size: number
  /** Its bytes, all or a part, read as they are asked for. Fails if the file is removed before they are. */
  readonly read: (range?: ByteRange) => AsyncIterable<Uint8Array>
}

/** A file in a list, for what looks for files that nothing names any more. */
export interface ListedFile {
  readonly name: FileName
  /** Milliseconds since the Unix epoch. */
  readonly storedAt: number
}

export interface FilesShape {
  /** Stores a file, in place of one of the same name. */
  readonly put: (name: FileName, bytes: Uint8Array) => Effect.Effect<void, Unavailable>
  /**
   * Stores a file as its parts come; the next one is asked for when the last one was written. An ApiError that the parts
   * throw is passed on, and then nothing is stored.
   */
  readonly receive: (name: FileName, parts: AsyncIterable<Uint8Array>) => Effect.Effect<void, Unavailable | ApiError>
  /** null: there is no such file. */
  readonly find: (name: FileName) => Effect.Effect<StoredFile | null, Unavailable>
  /** Nothing happens where there is no such file. */
  readonly remove: (name: FileName) => Effect.Effect<void, Unavailable>
  /** Puts a file away for some time, as of a day, `2026-11-29`: it is no file any more, and an operator may take it back. */
  readonly discard: (name: FileName, day: string) => Effect.Effect<void, Unavailable>
  /** Removes what was put away before a day. */
  readonly forget: (before: string) => Effect.Effect<void, Unavailable>
  /** All files whose names begin with these segments. */
  readonly list: (under: FileName) => Effect.Effect<ReadonlyArray<ListedFile>, Unavailable>
  /** Whether the last file could not be stored; asking has that tried again from time to time. */
  readonly isFailing: () => boolean
  /** Bytes that may still be stored; null where that is not known. */
  readonly free: Effect.Effect<number | null>
}

export class Files extends Context.Service<Files, FilesShape>()("parley/chat/Files") {}

/** All bytes of a small file. */
export const readWhole = async (file: StoredFile): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for await (const part of file.read()) parts.push(part)
  return Buffer.concat(parts)
}
