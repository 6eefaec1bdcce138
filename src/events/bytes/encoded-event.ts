/**
 * One event as one kind of client reads it, in the forms in which clients read events: JSON, and MessagePack for sockets that
 * ask for it. The second form is made when the first such socket is to be sent it, and kept with the event: which form a
 * client reads belongs to its connection, not to its queue, and may change between any two events.
 */
import { Packr } from "msgpackr/pack"
import type { WireId } from "../../ids.ts"

/** Only maps with text keys and arrays, which every reader of MessagePack knows: no records, no extensions. */
const packr = new Packr({ useRecords: false, variableMapSize: true })

const largestOf32Bits = 0xffff_ffff
const isLarge = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > largestOf32Bits

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/**
 * Has integers beyond 32 bits, such as ids, packed as integers: as numbers they would be packed as fractions. They are
 * replaced where they stand: to copy a thousand events took longer than all else.
 */
const enlarge = (value: Record<string, unknown>): void => {
  for (const key of Object.keys(value)) {
    const each = value[key]
    if (isContainer(each)) enlarge(each)
    else if (isLarge(each)) value[key] = BigInt(each)
  }
}

/** The same value as MessagePack, in memory of its own: the packer's results share large blocks. */
const packJson = (json: Buffer): Buffer => {
  const value: unknown = JSON.parse(json.toString("utf8"))
  if (isContainer(value)) enlarge(value)
  return Buffer.from(packr.pack(value))
}

export interface EncodedEvent {
  readonly id: WireId
  /** The bytes of a JSON object, id included. */
  readonly bytes: Buffer
  /** Ephemerals are lost, not replayed, when a pending list is dropped. */
  readonly stored: boolean
  /** The same object as MessagePack. */
  readonly packed: () => Buffer
}

class EncodedItem implements EncodedEvent {
  readonly id: WireId
  readonly bytes: Buffer
  readonly stored: boolean
  readonly #grew: ((bytes: number) => void) | null
  #packed: Buffer | null = null

  constructor(id: WireId, bytes: Buffer, stored: boolean, grew: ((bytes: number) => void) | null) {
    this.id = id
    this.bytes = bytes
    this.stored = stored
    this.#grew = grew
  }

  packed(): Buffer {
    if (this.#packed !== null) return this.#packed
    const packed = packJson(this.bytes)
    this.#packed = packed
    this.#grew?.(packed.length)
    return packed
  }
}

/** `grew` is called with the size of the second form, if that is ever made. */
export const encodedEventOf = (
  id: WireId,
  bytes: Buffer,
  stored: boolean,
  grew: ((bytes: number) => void) | null = null,
): EncodedEvent => new EncodedItem(id, bytes, stored, grew)
