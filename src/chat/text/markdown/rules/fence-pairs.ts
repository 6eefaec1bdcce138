/**
 * Which line ends a block between fences. A bare fence, with no word, closes the innermost open block of its mark, and
 * with it whatever was left open in that. Where the blocks within are closed further down, and then the block itself,
 * the fence was meant for something within them: code that shows fences keeps them.
 */
import type { StateBlock } from "markdown-it"
import { lineAt } from "./block-rule.ts"

const fence = /^(`{3,}|~{3,})([^\n]*)$/

/** So many lines with fences are looked through for what is closed further down, and so many blocks for what a fence closes. */
const farthest = 50

export interface CodeFence {
  readonly mark: string
  /** The kind of block that the word after the mark makes; `code` for all other words, and for none. */
  readonly kind: "quote" | "spoiler" | "math" | "code"
  readonly word: string
  /** The rest of the line. */
  readonly rest: string
}

const kindOf = (word: string): CodeFence["kind"] => {
  const lower = word.toLowerCase()
  return lower === "quote" || lower === "spoiler" || lower === "math" ? lower : "code"
}

export const readFence = (text: string): CodeFence | undefined => {
  const [, mark, behind = ""] = fence.exec(text) ?? []
  if (mark === undefined || (mark.startsWith("`") && behind.includes("`"))) return undefined
  const info = behind.trim()
  const [word = ""] = info.split(/\s/, 1)
  return { mark, kind: kindOf(word), word, rest: info.slice(word.length).trim() }
}

/** A mark closes blocks of the same one, and of a shorter one. */
export const closes = ({ mark, word }: CodeFence, opening: CodeFence): boolean =>
  word === "" && mark.startsWith(opening.mark)

const isContainer = ({ kind }: CodeFence): boolean => kind === "quote" || kind === "spoiler"

/** The fences from a line on, read as far as they are asked for. */
class FenceLines {
  readonly #found: Array<{ readonly line: number; readonly fence: CodeFence }> = []
  readonly #state: StateBlock
  #line: number
  /** Where the lines end: a line that is less indented ends the list or quote that the fences stand in. */
  end: number

  constructor(state: StateBlock, first: number, end: number) {
    this.#state = state
    this.#line = first
    this.end = end
  }

  at(index: number) {
    while (this.#found.length <= index && this.#line < this.end) this.#readLine(this.#line++)
    return this.#found[index]
  }

  #readLine(line: number): void {
    const { sCount, blkIndent, src, bMarks, tShift } = this.#state
    const indent = (sCount[line] ?? 0) - blkIndent
    if (indent < 0 && !this.#state.isEmpty(line)) this.end = line
    const first = src.charAt((bMarks[line] ?? 0) + (tShift[line] ?? 0))
    if (indent < 0 || indent >= 4 || (first !== "`" && first !== "~")) return
    const fence = readFence(lineAt(this.#state, line))
    if (fence !== undefined) this.#found.push({ line, fence })
  }
}

/** The block that a fence closes by its mark: rather one of just this mark than one of a shorter one. Not one far outside. */
const closedBy = (open: ReadonlyArray<CodeFence>, fence: CodeFence): number => {
  if (fence.word !== "") return -1
  const near = open.slice(-farthest)
  const same = near.findLastIndex(({ mark }) => mark === fence.mark)
  const closed = same >= 0 ? same : near.findLastIndex((opening) => closes(fence, opening))
  return closed < 0 ? -1 : open.length - near.length + closed
}

/** Whether these blocks, each within the one before it, are closed one after the other from this fence on. */
const areClosed = (blocks: ReadonlyArray<CodeFence>, lines: FenceLines, first: number): boolean => {
  const [outer] = blocks
  const open = [...blocks]
  for (let at = first; at < first + farthest; at++) {
    const [top, fence] = [open.at(-1), lines.at(at)?.fence]
    if (top === undefined) return true
    if (fence === undefined) return false
    // It begins another block like the outer one, so that was closed.
    if (open.length === blocks.length && isContainer(fence) && fence.mark === outer?.mark) return false
    if (closes(fence, top)) open.pop()
    else if (isContainer(top)) open.push(fence)
  }
  return open.length === 0
}

/** The line of the closing fence, or where the lines end if there is none. */
export const findEnd = (state: StateBlock, first: number, end: number, opening: CodeFence): number => {
  const lines = new FenceLines(state, first, end)
  const open = [opening]
  for (let at = 0; ; at++) {
    const found = lines.at(at)
    const top = open.at(-1)
    if (found === undefined || top === undefined) return lines.end
    const { line, fence } = found
    const closed = closedBy(open, fence)
    const within = isContainer(top) ? [fence] : []
    if (closed >= 0 && (closes(fence, top) || !areClosed([...open.slice(closed), ...within], lines, at + 1)))
      open.length = closed
    else open.push(...within)
    if (open.length === 0) return line
  }
}
