/**
 * The picture of somebody who has uploaded none: a pattern of five by five squares, its right half the left one's mirror
 * image, in a colour of its own. It is made of an id alone, so that it tells nothing of whose it is, nor whether there is
 * anybody; and it is the same wherever and whenever it is made, because addresses of pictures are kept for ever.
 */
import { createHash } from "node:crypto"
import { faceSide, mediumSide } from "../images/face-sizes.ts"
import { type RgbColour, writePng } from "./palette-png.ts"

const squares = 5
/** Columns that are drawn; the others mirror them. */
const half = 3

/** A colour of a hue in degrees, of the same lightness and strength for all (HSL to RGB). */
const colourOf = (hue: number, saturation: number, lightness: number): RgbColour => {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number): number => {
    const k = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}

const ground: RgbColour = [240, 240, 240]

/** `seed`: what it is the picture of. `size`: in pixels a side. */
const draw = (seed: string, side: number): Buffer => {
  const hash = createHash("sha256").update(seed).digest()
  // Even, so that the margins are alike: both sides are.
  const square = 2 * Math.floor(side / (squares + 1) / 2)
  const margin = (side - squares * square) / 2
  const placeOf = (pixel: number): number => Math.floor((pixel - margin) / square)
  const isInside = (place: number): boolean => place >= 0 && place < squares
  const isFilled = (x: number, y: number): boolean =>
    isInside(x) && isInside(y) && ((hash[2 + y * half + Math.min(x, squares - 1 - x)] ?? 0) & 1) === 1
  const rowAt = (y: number) => Uint8Array.from({ length: side }, (_, x) => (isFilled(placeOf(x), y) ? 1 : 0))
  const empty = new Uint8Array(side)
  const rows = Array.from({ length: squares }, (_, y) => rowAt(y))
  const palette = [ground, colourOf((hash.readUInt16BE(0) / 65_536) * 360, 0.5, 0.45)]
  return writePng({ width: side, height: side, palette, row: (y) => rows[placeOf(y)] ?? empty })
}

/** Of a user's id in an organization. */
export const drawPattern = (realm: number, id: number, isMedium: boolean): Buffer =>
  draw(`${realm} user ${id}`, isMedium ? mediumSide : faceSide)

/** Of the organization: its icon and its logo. */
export const drawIcon = (realm: number): Buffer => draw(`${realm} organization`, faceSide)
