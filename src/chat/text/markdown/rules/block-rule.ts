/** What rules for blocks have in common: markdown-it's own, for those here that narrow them, and the text of a line. */
import MarkdownParser, { type StateBlock } from "markdown-it"

export type BlockRule = (state: StateBlock, start: number, end: number, silent: boolean) => boolean

export const blockRule = (name: string): BlockRule => {
  const { ruler } = new MarkdownParser().block
  ruler.enableOnly([name])
  const [rule] = ruler.getRules("")
  if (rule === undefined) throw new Error(`markdown-it has no rule for a ${name}`)
  return rule
}

/** A line without its indentation and what stands before it in lists and quotes. */
export const lineAt = (state: StateBlock, line: number): string =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
