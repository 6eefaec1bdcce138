/**
 * Code between backticks, and formulas between two dollars. Rules of markdown-it. Nothing within them is looked at
 * further. Code keeps its spaces.
 */
import type { StateInline } from "markdown-it"
import { contextOf } from "../context/render-context.ts"
import { BacktickRuns } from "./backtick-runs.ts"

const backtick = 0x60
const dollar = 0x24

const scanned = new WeakMap<StateInline, BacktickRuns>()

const runsOf = (state: StateInline): BacktickRuns => {
  const known = scanned.get(state)
  if (known !== undefined) return known
  const runs = new BacktickRuns(state.src)
  scanned.set(state, runs)
  return runs
}

export const codeSpan = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== backtick) return false
  let end = pos + 1
  while (end < state.posMax && src.charCodeAt(end) === backtick) end++
  const close = runsOf(state).next(end - pos, end)
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
