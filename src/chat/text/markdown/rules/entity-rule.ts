/**
 * Entities of HTML, `&#96;`: each becomes the plain character that it stands for. A rule of markdown-it. Also what stands
 * before a place of a text, as other rules ask: characters by entities count like typed ones.
 */
import type { StateInline } from "markdown-it"
import { entityAt, entityBefore } from "../../characters/entities.ts"
import { isBehindWord } from "../../characters/word-boundary.ts"

const ampersand = 0x26

export const entity = (state: StateInline): boolean => {
  const { src, pos } = state
  const found = src.charCodeAt(pos) === ampersand ? entityAt(src, pos) : undefined
  if (found === undefined || pos + found.length > state.posMax) return false
  state.pending += found.character
  state.pos += found.length
  return true
}

/** Whether a word ends right before the place that the parser has come to. */
export const isWordBefore = ({ src, pos }: StateInline): boolean => {
  const character = entityBefore(src, pos)
  return character === undefined ? isBehindWord(src, pos) : isBehindWord(character, character.length)
}
