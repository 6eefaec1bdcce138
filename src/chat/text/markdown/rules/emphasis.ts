/** Rules for emphasis where this API differs from CommonMark. */
import type { MarkdownIt, StateInline, Token } from "markdown-it"

/** Brackets, quotation marks and full stops of scripts that put no space beside them. */
const opens = /[\p{Ps}\p{Pi}]/u
const closes = /[\p{Pe}\p{Pf}。、，．！？：；…・]/u
const isForeign = (character: string): boolean => character >= "\u0080"

/**
 * Emphasis may begin before and end behind punctuation within a word: `**「あ」**い`, and `**Note:**text` where the
 * asterisks are no sign of arithmetic.
 */
export const withinWords = (State: MarkdownIt["inline"]["State"]): MarkdownIt["inline"]["State"] =>
  class extends State {
    override scanDelims(start: number, canSplitWord: boolean): ReturnType<StateInline["scanDelims"]> {
      const found = super.scanDelims(start, canSplitWord)
      if (found.can_open === found.can_close) return found
      if (found.can_open) {
        const before = this.src.charAt(start - 1)
        const ends = isForeign(before) ? closes.test(before) : found.length > 1 && /[.,:;!?]/.test(before)
        return ends ? { ...found, can_close: true } : found
      }
      const after = this.src.charAt(start + found.length)
      return isForeign(after) && opens.test(after) ? { ...found, can_open: true } : found
    }
  }

const isEmpty = (token: Token | undefined): boolean => token?.type === "text" && token.content === ""

/** The place of the nearest token before (-1) or behind (1) another that is not empty. */
const beside = (tokens: ReadonlyArray<Token>, from: number, step: -1 | 1): number => {
  let at = from + step
  while (isEmpty(tokens[at])) at += step
  return at
}

const swap = (tokens: Array<Token>, first: number, second: number): void => {
  const [a, b] = [tokens[first], tokens[second]]
  if (a === undefined || b === undefined) return
  tokens[first] = b
  tokens[second] = a
}

/** Writes text that is strong and emphasized as strong first, `<strong><em>`. A rule of markdown-it. */
export const strongOutside = ({ tokens }: StateInline): void => {
  const open: Array<number> = []
  /** The end of each strong text, by where it begins. */
  const ends = new Map<number, number>()
  for (let at = 0; at < tokens.length; at++) {
    const type = tokens[at]?.type
    if (type === "em_open" || type === "strong_open") open.push(at)
    else if (type === "strong_close") ends.set(open.pop() ?? -1, at)
    else if (type === "em_close") {
      const start = open.pop() ?? -1
      const inner = beside(tokens, start, 1)
      const innerEnd = ends.get(inner)
      if (tokens[inner]?.type !== "strong_open" || innerEnd !== beside(tokens, at, -1)) continue
      swap(tokens, start, inner)
      swap(tokens, innerEnd, at)
    }
  }
}
