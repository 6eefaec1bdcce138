/**
 * The frames between the server and the decoder's process: a length (4 bytes, little-endian), as many bytes of JSON,
 * then the bytes of files, whose sizes stand in the JSON.
 */
import * as Predicate from "effect/Predicate"
import type { Json } from "../../../../json.ts"
import type { ByteReader } from "./byte-reader.ts"

/** Most bytes of a frame's JSON, and of its files together. Nothing is taken that is larger. */
const mostHeaderBytes = 64 * 1024
const mostFileBytes = 256 * 2 ** 20

export interface ProcessFrame {
  readonly value: unknown
  readonly files: ReadonlyArray<Uint8Array>
}

/** By hand: the Schema library takes half of the time in which the decoder's process starts. */
const readHeader = (json: string): { readonly value: unknown; readonly sizes: ReadonlyArray<number> } => {
  const read: unknown = JSON.parse(json)
  if (!Predicate.hasProperty(read, "value") || !Predicate.hasProperty(read, "sizes"))
    throw new Error("a header without its parts")
  const sizes: ReadonlyArray<unknown> | null = Array.isArray(read.sizes) ? read.sizes : null
  if (sizes === null || !sizes.every(Predicate.isNumber)) throw new Error("a header without sizes")
  return { value: read.value, sizes }
}

/** The beginning of a frame; its files are to follow, with these sizes. */
export const headerOf = (value: Json, sizes: ReadonlyArray<number>): Buffer => {
  const json = Buffer.from(JSON.stringify({ value, sizes }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  return Buffer.concat([length, json])
}

/** null where the stream ends before. Throws where it says what is no frame. */
export const takeFrame = async (reader: ByteReader): Promise<ProcessFrame | null> => {
  const length = await reader.take(4)
  if (length === null) return null
  const size = length.readUInt32LE()
  if (size > mostHeaderBytes) throw new Error(`a header of ${size} bytes`)
  const json = await reader.take(size)
  if (json === null) return null
  const { value, sizes } = readHeader(json.toString())
  const sum = sizes.reduce((all, each) => all + each, 0)
  if (!sizes.every((each) => Number.isSafeInteger(each) && each >= 0) || sum > mostFileBytes)
    throw new Error(`files of ${sizes.join(", ")} bytes`)
  const files: Array<Uint8Array> = []
  for (const each of sizes) {
    const file = await reader.take(each)
    if (file === null) return null
    files.push(file)
  }
  return { value, files }
}
