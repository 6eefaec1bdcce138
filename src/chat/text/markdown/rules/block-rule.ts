/** The rules of markdown-it for blocks, for those rules here that narrow them. */
import MarkdownParser, { type StateBlock } from "markdown-it"

export type BlockRule = (state: StateBlock, start: number, end: number, silent: boolean) => boolean

export const blockRule = (name: string): BlockRule => {
  const { ruler } = new MarkdownParser().block
  ruler.enableOnly([name])
  const [rule] = ruler.getRules("")
  if (rule === undefined) throw new Error(`markdown-it has no rule for a ${name}`)
  return rule
}
