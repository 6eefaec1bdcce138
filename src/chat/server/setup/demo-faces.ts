/**
 * Faces of some people of the demo organization, drawn here: the first look at it shows pictures of people beside the
 * patterns of those who have none, also where no image library is installed.
 */
import { type RgbColour, writePng } from "../../ground/faces/palette-png.ts"
import { faceSide, mediumSide } from "../../ground/images/face-sizes.ts"

export interface DemoFace {
  readonly ground: RgbColour
  readonly skin: RgbColour
  readonly hair: RgbColour
  /** How far the hair comes down, from 0 to 1. */
  readonly fringe: number
}

/** The number of a colour in the palette. */
const [ground, skin, hair, ink] = [0, 1, 2, 3]

const isWithin = (x: number, y: number, [left, top, radius]: readonly [number, number, number]): boolean =>
  (x - left) ** 2 + (y - top) ** 2 < radius ** 2

/** The colour at a point; both go from 0 to 1. */
const colourAt = (x: number, y: number, fringe: number): number => {
  const isInHead = isWithin(x, y, [0.5, 0.48, 0.3])
  if (isInHead && (isWithin(x, y, [0.39, 0.5, 0.035]) || isWithin(x, y, [0.61, 0.5, 0.035]))) return ink
  if (isInHead && y > 0.6 && isWithin(x, y, [0.5, 0.55, 0.14]) && !isWithin(x, y, [0.5, 0.53, 0.13])) return ink
  if (isWithin(x, y, [0.5, 0.42, 0.34]) && y < 0.2 + 0.25 * fringe + 0.1 * Math.abs(x - 0.5)) return hair
  if (isInHead) return skin
  return isWithin(x, y, [0.5, 1.15, 0.45]) ? hair : ground
}

const draw = (face: DemoFace, side: number): Buffer =>
  writePng({
    width: side,
    height: side,
    palette: [face.ground, face.skin, face.hair, [40, 30, 30]],
    row: (y) => Uint8Array.from({ length: side }, (_, x) => colourAt((x + 0.5) / side, (y + 0.5) / side, face.fringe)),
  })

/** The small picture and the medium one. */
export const drawFace = (face: DemoFace): readonly [small: Buffer, medium: Buffer] => [
  draw(face, faceSide),
  draw(face, mediumSide),
]

/** By the addresses of the accounts that have one. */
export const demoFaces: ReadonlyMap<string, DemoFace> = new Map([
  ["owner@demo.example", { ground: [122, 182, 178], skin: [244, 206, 178], hair: [96, 58, 36], fringe: 0.5 }],
  ["moderator@demo.example", { ground: [226, 188, 108], skin: [168, 112, 78], hair: [34, 28, 30], fringe: 0.7 }],
  ["member@demo.example", { ground: [150, 168, 214], skin: [250, 220, 196], hair: [206, 120, 62], fringe: 0.2 }],
])
