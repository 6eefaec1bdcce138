/**
 * Code between backticks, and formulas between two dollars. Rules of markdown-it. Nothing within them is looked at
 * further. Code keeps its spaces.
 */
import type { StateInline } from "markdown-it"
import { contextOf } from "../context/render-context.ts"

const backtick = 0x60
const dollar = 0x24

/** For each length of a run of backticks, where the runs of that length stand, from left to right. */
interface Runs {
  readonly source: string
  readonly byLength: ReadonlyMap<number, ReadonlyArray<number>>
  /** Number of runs of each length that have been passed. */
  readonly passed: Map<number, number>
}

const scanned = new WeakMap<StateInline, Runs>()

const runsOf = (state: StateInline): Runs => {
  const known = scanned.get(state)
  if (known !== undefined) return known
  const byLength = new Map<number, Array<number>>()
  for (const { 0: run, index } of state.src.matchAll(/`+/g)) {
    const known = byLength.get(run.length)
    if (known === undefined) byLength.set(run.length, [index])
    else known.push(index)
  }
  const runs = { source: state.src, byLength, passed: new Map<number, number>() }
  scanned.set(state, runs)
  return runs
}

/** The next run of this length after a place. Places only grow, so all searches together pass each run once. */
const nextRun = (state: StateInline, length: number, after: number): number | undefined => {
  const { byLength, passed } = runsOf(state)
  const places = byLength.get(length) ?? []
  let at = passed.get(length) ?? 0
  while ((places[at] ?? Number.POSITIVE_INFINITY) < after) at++
  passed.set(length, at)
  return places[at]
}

export const codeSpan = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== backtick) return false
  let end = pos + 1
  while (end < state.posMax && src.charCodeAt(end) === backtick) end++
  const close = nextRun(state, end - pos, end)
  if (close === undefined || close + (end - pos) > state.posMax) {
    state.pending += src.slice(pos, end)
    state.pos = end
    return true
  }
  const token = state.push("code_inline", "code", 0)
  token.content = src.slice(end, close)
  state.pos = close + (end - pos)
  return true
}

const formula = /\$\$([^\s$](?:\\\$|[^$\n])*)\$\$(?!\$)/y

export const inlineMath = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== dollar || src.charCodeAt(pos + 1) !== dollar) return false
  if (pos > 0 && /[\w$]/.test(src.charAt(pos - 1))) return false
  formula.lastIndex = pos
  const found = formula.exec(src)
  const tex = found?.[1]
  if (found === null || tex === undefined || pos + found[0].length > state.posMax) return false
  const { extras } = contextOf(state)
  const token = state.push("math_inline", "", 0)
  token.content = found[0]
  token.meta = extras === null ? null : { html: extras.math(tex, false) }
  state.pos += found[0].length
  return true
}
