/** The HTML of a code block, and what the language is called in it. */

import type { RenderContext } from "../context/render-context.ts"
import { findLanguage } from "./code-languages.ts"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? character)

/** `word`: the language as the message names it; empty if it names none. */
export const codeBlock = (context: RenderContext, code: string, word: string): string => {
  const language = word === "" ? context.names.codeLanguage : word
  const known = findLanguage(language)
  const text = code === "" || code.endsWith("\n") ? code : `${code}\n`
  const html = known === undefined ? null : (context.extras?.highlight(text, known.id) ?? null)
  const attribute = language === "" ? "" : ` data-code-language="${escapeHtml(known?.name ?? language)}"`
  return `<div class="codehilite"${attribute}><pre><span></span><code>${html ?? escapeHtml(text)}</code></pre></div>`
}
