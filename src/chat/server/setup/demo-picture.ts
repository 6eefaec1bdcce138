/** The picture that somebody in the demo organization has uploaded, drawn here: bars over the days of a week. */
import { type RgbColour, writePng } from "../../ground/faces/palette-png.ts"

const [width, height] = [320, 180]
const palette: ReadonlyArray<RgbColour> = [
  [250, 250, 247],
  [92, 124, 200],
  [214, 132, 88],
  [70, 70, 80],
]
/** The number of a colour in the palette. */
const [ground, bar, most, axis] = [0, 1, 2, 3]

/** Of the height of the picture. */
const bars = [0.35, 0.5, 0.42, 0.8, 0.6, 0.2, 0.12]
const step = width / bars.length

const colourAt = (x: number, y: number): number => {
  if (y >= height - 12) return y < height - 10 ? axis : ground
  const value = bars[Math.floor(x / step)] ?? 0
  const isInBar = x % step > step * 0.2 && x % step < step * 0.8 && height - 12 - y < value * (height - 24)
  if (!isInBar) return ground
  return value === Math.max(...bars) ? most : bar
}

export const drawBars = (): Buffer =>
  writePng({ width, height, palette, row: (y) => Uint8Array.from({ length: width }, (_, x) => colourAt(x, y)) })
