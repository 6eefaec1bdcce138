/** Bytes and texts at random: noise, and what is nearly right. */
import type { Dice } from "../faults/kill/dice.ts"
import { garbage } from "../walks/garbage/values.ts"

export const noise = (dice: Dice, most: number): Buffer => {
  const bytes = Buffer.alloc(dice.below(most + 1))
  for (let at = 0; at < bytes.length; at++) bytes[at] = dice.below(256)
  return bytes
}

/** Numbers at which something turns over. */
const edges = [0, 1, 2, 7, 8, 15, 16, 31, 32, 127, 128, 255, 256, 1023, 4095, 4096, 32_767, 32_768, 65_535, 65_536]

export const size = (dice: Dice, most: number): number =>
  dice.chance(0.3) ? Math.min(most, dice.pick(edges)) : dice.below(Math.min(most, dice.chance(0.8) ? 64 : most) + 1)

const pieces = [
  " ",
  "\n",
  "\t",
  "a",
  "Z",
  "0",
  "9",
  "-",
  "_",
  ".",
  ",",
  ":",
  ";",
  "/",
  "\\",
  "'",
  '"',
  "`",
  "<",
  ">",
  "&",
  "%",
  "+",
  "=",
  "?",
  "#",
  "@",
  "*",
  "**",
  "~~",
  "$$",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  "|",
  "!",
  "\u0000",
  "\u00e9",
  "\u0301",
  "\u200b",
  "\u202e",
  "\ufeff",
  "\ufffd",
  "\u{1f600}",
  "\u{1f468}\u200d\u{1f469}",
  "\ud800",
  "\udc00",
  "İ",
  "ß",
  "ﬀ",
  "__proto__",
  "constructor",
  "null",
  "undefined",
]

/** Those that a text may have for the server, which keeps no NUL and no half characters. */
const rightPieces = pieces.filter((piece) => piece !== "\u0000" && piece.isWellFormed())

/** A text of so many pieces at most, some of which are more than a character. */
export const text = (dice: Dice, most: number, from = pieces): string => {
  const count = size(dice, most)
  const one = dice.chance(0.15) ? dice.pick(from) : undefined
  let made = ""
  for (let each = 0; each < count; each++) made += one ?? dice.pick(from)
  return made
}

export const rightText = (dice: Dice, most: number): string =>
  text(dice, most, rightPieces).slice(0, most).toWellFormed()

/** A value that is known to be hard, as texts of parameters. */
export const hardValue = (dice: Dice): string => dice.pick(garbage)[1]

/** The same bytes with some changes: bits turned, pieces left out, doubled or put elsewhere. */
export const mutated = (dice: Dice, bytes: Buffer): Buffer => {
  let changed = Buffer.from(bytes)
  for (let left = 1 + dice.below(4); left > 0 && changed.length > 0; left--) {
    const at = dice.below(changed.length)
    const length = Math.min(changed.length - at, size(dice, 64))
    const piece = changed.subarray(at, at + length)
    const [before, behind] = [changed.subarray(0, at), changed.subarray(at + length)]
    const kind = dice.below(6)
    if (kind === 0) changed[at] = (changed[at] ?? 0) ^ (1 << dice.below(8))
    else if (kind === 1) changed = Buffer.concat([before, behind])
    else if (kind === 2) changed = Buffer.concat([before, piece, piece, behind])
    else if (kind === 3) changed = Buffer.concat([before, noise(dice, 32), behind])
    else if (kind === 4) changed = changed.subarray(0, at)
    else {
      const to = dice.below(changed.length)
      changed = Buffer.concat([changed.subarray(0, to), piece, changed.subarray(to)])
    }
  }
  return changed
}
