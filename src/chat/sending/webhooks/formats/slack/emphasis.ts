/**
 * Marks of emphasis in a line of Slack's: `*bold*`, `_italic_`, `~struck~`. A mark counts at the edge of a word only, so
 * `5 * 3 * 2`, `a*b*c` and `snake_case` stay what they are. Two asterisks are one mark: many send Markdown.
 */

interface EmphasisMark {
  readonly kind: string
  readonly start: number
  readonly end: number
  role: "none" | "opens" | "closes"
}

const markdown: Readonly<Record<string, string>> = { "*": "**", "**": "**", _: "*", "~": "~~" }

const runs = /\*+|_+|~+/g
/** What stands before a mark that opens: no part of a word, a path or a sum. */
const beforeOpening = /^(?:|[^\p{L}\p{N}/\\=&#@%+$^.])$/u
const afterOpening = /^[^\s)\]}>,.;!?]$/
const beforeClosing = /^[^\s([{<]$/
const afterClosing = /^(?:|[^\p{L}\p{N}/\\=&#@%+$^])$/u

const isMark = (character: string): boolean => character === "*" || character === "_" || character === "~"

const marksOf = (line: string): ReadonlyArray<EmphasisMark> => {
  const marks: Array<EmphasisMark> = []
  /** Those that are open, the innermost last: one of each kind at most. */
  let open: ReadonlyArray<EmphasisMark> = []
  for (const { 0: kind, index: start } of line.matchAll(runs)) {
    if (!Object.hasOwn(markdown, kind)) continue
    const mark: EmphasisMark = { kind, start, end: start + kind.length, role: "none" }
    const [before, after] = [line.charAt(start - 1), line.charAt(mark.end)]
    const last = marks.at(-1)
    const touches = last !== undefined && last.end === start && isMark(before)
    const partner = open.find((other) => other.kind === kind)
    if (partner !== undefined && beforeClosing.test(before) && afterClosing.test(after) && partner.end < start) {
      ;[partner.role, mark.role] = ["opens", "closes"]
      open = open.slice(0, open.indexOf(partner))
    } else if (beforeOpening.test(before) && afterOpening.test(after) && !(touches && last.role === "closes"))
      open = [...open.filter((other) => other.kind[0] !== kind[0]), mark]
    marks.push(mark)
  }
  return marks
}

/** `toMarkdown`: what is between the marks. */
export const emphasised = (line: string, toMarkdown: (text: string) => string): string => {
  let [made, last] = ["", 0]
  for (const mark of marksOf(line)) {
    if (mark.role === "none") continue
    made += toMarkdown(line.slice(last, mark.start)) + (markdown[mark.kind] ?? "")
    last = mark.end
  }
  return made + toMarkdown(line.slice(last))
}
