/**
 * Formulas, by KaTeX, for the renderer's worker only. Commands that link, load images or set attributes are off
 * (`trust`), sizes and the expansion of macros are limited, and macros of one formula do not reach another.
 */
import katex from "katex"

const options = {
  output: "htmlAndMathml",
  throwOnError: true,
  trust: false,
  strict: "ignore",
  maxSize: 10,
  maxExpand: 200,
} as const

/** Longer formulas are not looked at. */
const longestFormula = 5000

/** HTML of a formula; null if it is none. */
export const renderMath = (tex: string, displayMode: boolean): string | null => {
  if (tex.length > longestFormula) return null
  try {
    return katex.renderToString(tex, { ...options, displayMode, macros: {} })
  } catch {
    return null
  }
}
