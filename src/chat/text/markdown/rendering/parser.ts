/**
 * The parser: markdown-it with the rules of this API. Of its own rules only those are on that mean the same here. Raw
 * HTML, backslashes, reference links, images and underscores are plain text.
 */

import * as Predicate from "effect/Predicate"
import MarkdownParser, {
  type MarkdownIt,
  type RendererRule,
  type StateCore,
  type StateInline,
  type Token,
} from "markdown-it"
import { contextOf } from "../context/render-context.ts"
import { placePreviews } from "../previews/preview-rule.ts"
import { channelLink } from "../rules/channel-links.ts"
import { codeSpan, inlineMath } from "../rules/code-and-math.ts"
import { codeBlock, escapeHtml } from "../rules/code-block.ts"
import { emojiByName } from "../rules/emoji-rule.ts"
import { strongOutside, withinWords } from "../rules/emphasis.ts"
import { entity } from "../rules/entity-rule.ts"
import { fencedBlock } from "../rules/fences.ts"
import { inlineText } from "../rules/inline-text.ts"
import { link, webAddress } from "../rules/link-rule.ts"
import { listAfterText, nestInNumbered } from "../rules/list-rules.ts"
import { headingWithText, listWithText } from "../rules/lone-markers.ts"
import { mention } from "../rules/mention-rules.ts"
import { deepBlock, deepEmphasis } from "../rules/nesting-depth.ts"
import { table } from "../rules/table-rule.ts"
import { moment } from "../rules/time-rule.ts"

/** Parses the texts within blocks; those in quotes know it, because mentions there notify nobody. */
const parseInline = (state: StateCore): void => {
  const context = contextOf(state)
  for (const token of state.tokens) {
    if (token.type === "blockquote_open") context.quotes++
    else if (token.type === "blockquote_close") context.quotes--
    else if (token.type === "inline") state.md.inline.parse(token.content, state.md, state.env, token.children ?? [])
  }
}

const content: RendererRule = (tokens, at) => escapeHtml(tokens[at]?.content ?? "")
const fixed =
  (html: string): RendererRule =>
  () =>
    html

/** The HTML of a formula: what the worker made of it; else as code; as an error where it is no formula. */
const formula = (token: Token | undefined, wrong: string): string => {
  const made: unknown = token?.meta
  if (!Predicate.isObject(made)) return `<code>${escapeHtml(token?.content ?? "")}</code>`
  const html = made["html"]
  return Predicate.isString(html) ? html : `<span class="tex-error">${escapeHtml(wrong)}</span>`
}

const codeRule: RendererRule = (tokens, at, _options, env) => {
  const token = tokens[at]
  return `${codeBlock(contextOf({ env: env ?? {} }), token?.content ?? "", token?.info ?? "")}\n`
}

const rendererRules: Readonly<Record<string, RendererRule>> = {
  mention_text: content,
  code_block: codeRule,
  fence: codeRule,
  code_inline: (tokens, at) => `<code>${escapeHtml(tokens[at]?.content ?? "")}</code>`,
  softbreak: fixed("<br>\n"),
  emoji: (tokens, at) => tokens[at]?.content ?? "",
  math_inline: (tokens, at) => formula(tokens[at], tokens[at]?.content ?? ""),
  math_block: (tokens, at) => `<p>${formula(tokens[at], `$$${tokens[at]?.content ?? ""}$$`)}</p>\n`,
  preview: (tokens, at) => tokens[at]?.content ?? "",
  preview_inline: (tokens, at) => tokens[at]?.content ?? "",
  spoiler_open: fixed('<div class="spoiler-block"><div class="spoiler-header">\n'),
  spoiler_header_close: fixed('</div><div class="spoiler-content" aria-hidden="true">\n'),
  spoiler_close: fixed("</div></div>\n"),
  s_open: fixed("<del>"),
  s_close: fixed("</del>"),
}

/** Inline rules of markdown-it that stay on; the rest of them is replaced or means nothing here. */
const inlineRules = ["text", "newline", "strikethrough", "underscores", "emphasis"]
const ownInlineRules = [
  ["code", codeSpan],
  ["math", inlineMath],
  ["character", entity],
  ["mention", mention],
  ["channel_link", channelLink],
  ["emoji", emojiByName],
  ["moment", moment],
  ["checked_link", link],
  ["web_address", webAddress],
] as const

/** They mean nothing, so that names like `a_b_c` stay what they are. */
const underscores = (state: StateInline): boolean => {
  const start = state.pos
  while (state.pos < state.posMax && state.src.charCodeAt(state.pos) === 0x5f) state.pos++
  state.pending += state.src.slice(start, state.pos)
  return state.pos > start
}

const makeParser = (): MarkdownIt => {
  const parser = new MarkdownParser("default", { html: false, linkify: false, typographer: false, maxNesting: 100 })
  const { core, block, inline } = parser
  core.ruler.enableOnly(["normalize", "block", "inline"])
  core.ruler.at("inline", parseInline)
  core.ruler.push("previews", placePreviews)

  block.ruler.enableOnly(["table", "code", "blockquote", "hr", "list", "heading", "paragraph"])
  const interrupts = { alt: ["paragraph", "blockquote", "list"] }
  block.ruler.at("table", table, { alt: ["paragraph", "reference"] })
  block.ruler.at("heading", headingWithText, { alt: ["paragraph", "reference", "blockquote"] })
  block.ruler.at("list", listWithText, { alt: ["paragraph", "reference", "blockquote"] })
  block.ruler.before("table", "depth", deepBlock)
  block.ruler.before("blockquote", "fenced", fencedBlock, interrupts)
  block.ruler.before("list", "list_after_text", listAfterText, { alt: ["paragraph"] })
  block.ruler.before("list", "nest_in_numbered", nestInNumbered)

  inline.State = withinWords(inline.State)
  inline.ruler.before("emphasis", "underscores", underscores)
  for (const [name, rule] of ownInlineRules) inline.ruler.push(name, (state, silent) => !silent && rule(state))
  inline.ruler.enableOnly([...inlineRules, ...ownInlineRules.map(([name]) => name)])
  inline.ruler2.before("fragments_join", "deep_emphasis", deepEmphasis)
  inline.ruler2.before("fragments_join", "strong_outside", strongOutside)
  inline.ruler2.push("inline_text", inlineText)

  Object.assign(parser.renderer.rules, rendererRules)
  return parser
}

export const parser = makeParser()
