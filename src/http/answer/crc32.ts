/**
 * CRC-32 as gzip has it, and the one of two texts in a row from those of each: so that pieces that many answers share
 * are read once. The polynomials are in reversed bit order: the highest bit is the term x^0.
 */
import * as zlib from "node:zlib"

const polynomial = 0xedb88320
const one = 0x80000000

/** `before`: of what stands before these bytes, which zlib itself forgets if no bytes are given. */
export const crc32 = (bytes: Uint8Array, before = 0): number =>
  bytes.length === 0 ? before : zlib.crc32(bytes, before)

/** The product of two polynomials, modulo the one of CRC-32. */
const multiply = (a: number, b: number): number => {
  let product = 0
  let shifted = b
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial
  }
  return product >>> 0
}

/** x^(2^n), for n from 0. */
const powers: ReadonlyArray<number> = Array.from({ length: 31 }).reduce<ReadonlyArray<number>>(
  (known) => [...known, multiply(known.at(-1) ?? 0, known.at(-1) ?? 0)],
  [one >>> 1],
)

/** The factor of a checksum that `length` bytes follow: x^(8 * length). */
export const shiftOf = (length: number): number => {
  let shift = one
  // 2^3 bits are a byte.
  for (let n = 3, rest = length; rest > 0; n++, rest = Math.floor(rest / 2))
    if (rest % 2 === 1) shift = multiply(shift, powers[n] ?? 0)
  return shift
}

/** The checksum of two texts in a row. `shift`: of the length of the second. */
export const combineCrc32 = (first: number, second: number, shift: number): number =>
  (multiply(shift, first) ^ second) >>> 0
