/**
 * One event as one kind of client reads it, in the forms in which clients read events: JSON, and MessagePack for sockets that
 * ask for it. The second form is made when the first such socket is to be sent it, and kept with the event: which form a
 * client reads belongs to its connection, not to its queue, and may change between any two events.
 */
import { Packr } from "msgpackr/pack"
import type { WireId } from "../../ids.ts"

/** Plain maps and arrays, as any reader of MessagePack knows them: nothing is named by numbers, no extensions. */
const packr = new Packr({ useRecords: false, variableMapSize: true })

const mostOfInteger = 0xffff_ffff

/** Integers beyond 32 bits, such as ids, would be packed as fractions. */
const withLargeIntegers = (value: unknown): unknown => {
  if (typeof value === "number") return value > mostOfInteger && Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(withLargeIntegers)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withLargeIntegers(each)]))
}

/** The same value as MessagePack, in memory of its own: the packer's results share large blocks. */
export const packJson = (json: Buffer): Buffer => {
  const value: unknown = JSON.parse(json.toString("utf8"))
  return Buffer.from(packr.pack(withLargeIntegers(value)))
}

export interface Item {
  readonly id: WireId
  /** The bytes of a JSON object, id included. */
  readonly bytes: Buffer
  /** Ephemerals are lost, not replayed, when a pending list is dropped. */
  readonly stored: boolean
  /** The same object as MessagePack. */
  readonly packed: () => Buffer
}

class EncodedItem implements Item {
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
export const itemOf = (
  id: WireId,
  bytes: Buffer,
  stored: boolean,
  grew: ((bytes: number) => void) | null = null,
): Item => new EncodedItem(id, bytes, stored, grew)
