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

/**
 * Since version 0.18 the parts of a formula have class names that begin with `katex-`. Clients read the HTML by the names
 * before that, and show the source of a formula whose parts they do not know.
 */
const withKnownNames = (html: string): string =>
  html.replace(/ class="[^"]*"/g, (attribute) => attribute.replace(/\bkatex-(?!(?:display|html|mathml)\b)/g, ""))

/** HTML of a formula; null if it is none. */
export const renderMath = (tex: string, displayMode: boolean): string | null => {
  if (tex.length > longestFormula) return null
  try {
    return withKnownNames(katex.renderToString(tex, { ...options, displayMode, macros: {} }))
  } catch {
    return null
  }
}
