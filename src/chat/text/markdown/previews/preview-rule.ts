/**
 * Puts previews behind the paragraphs whose links they show. A rule of markdown-it's core, after the texts were parsed:
 * it only adds tokens, and takes the paragraph away that is nothing but the address of what is shown. Links in quotes
 * have none, an address has one however often it is linked.
 */
import type { StateCore, Token } from "markdown-it"
import type { PreviewSources } from "../context/preview-sources.ts"
import { contextOf, type RenderContext } from "../context/render-context.ts"
import { isPage, linkPreview, type PreviewLink, pagePreview, soundHtml } from "./preview-html.ts"

/** Blocks behind which previews stand: what is in a table is shown behind it. */
const ends: ReadonlySet<string> = new Set(["paragraph_close", "heading_close", "table_close"])

interface FoundLink extends PreviewLink {
  /** It stands in the text as its address. */
  readonly isBare: boolean
  /** Places of its first and last token. */
  readonly from: number
  readonly to: number
}

const isAddress = (text: string, href: string): boolean =>
  text === href || `https://${text}` === href || (href.startsWith("/") && /^https?:/i.test(text) && text.endsWith(href))

const linksIn = (tokens: ReadonlyArray<Token>): ReadonlyArray<FoundLink> => {
  const found: Array<FoundLink> = []
  for (let at = 0; at < tokens.length; at++) {
    const open = tokens[at]
    // Links to channels and messages have a class.
    if (open?.type !== "link_open" || open.attrGet("class") !== null) continue
    const href = `${open.attrGet("href") ?? ""}`
    const from = at
    let text = ""
    for (at++; at < tokens.length && tokens[at]?.type !== "link_close"; at++) text += tokens[at]?.content ?? ""
    const isBare = isAddress(text, href)
    found.push({ href, title: `${open.attrGet("title") ?? (isBare ? "" : text)}`, isBare, from, to: at })
  }
  return found
}

/** Replaces `![text](address)` of sounds in the text. */
const placeSounds = (state: StateCore, tokens: Array<Token>, sources: PreviewSources, context: RenderContext): void => {
  for (const link of linksIn(tokens).toReversed()) {
    const before = tokens[link.from - 1]
    if (before?.type !== "text" || !before.content.endsWith("!")) continue
    const html = soundHtml(link, sources)
    if (html === undefined || !context.takesPreview(`sound ${link.href}`)) continue
    before.content = before.content.slice(0, -1)
    const sound = new state.Token("preview_inline", "", 0)
    sound.content = html
    tokens.splice(link.from, link.to - link.from + 1, sound)
  }
}

interface Preview {
  readonly html: string
  /** The link need not be shown beside it. */
  readonly isLink: boolean
}

const previewOf = (link: FoundLink, sources: PreviewSources, context: RenderContext): Preview | undefined => {
  const found = sources.showsPictures ? linkPreview(link, sources) : undefined
  if (found !== undefined)
    return context.takesPreview(link.href) ? { html: found.html, isLink: found.isWhole && link.isBare } : undefined
  if (!sources.showsPages || !isPage(link.href) || !context.notePage(link.href)) return undefined
  const page = sources.pages.get(link.href)
  const shown = page === undefined ? undefined : pagePreview(link.href, page, sources)
  return shown !== undefined && context.takesPreview(link.href) ? { html: shown, isLink: false } : undefined
}

export const placePreviews = (state: StateCore): void => {
  const context = contextOf(state)
  const sources = context.names.previews
  if (sources === null || !/[./]/.test(state.src)) return
  const placed: Array<Token> = []
  let waiting: Array<string> = []
  /** Index in `placed` of the start of a paragraph that is only an address that is shown; -1: this one is more. */
  let bare = -1
  let quotes = 0
  for (const token of state.tokens) {
    if (token.type === "blockquote_open") quotes++
    else if (token.type === "blockquote_close") quotes--
    else if (token.type === "paragraph_open") bare = -1
    placed.push(token)
    if (token.type === "inline" && quotes === 0 && token.children !== null) {
      placeSounds(state, token.children, sources, context)
      for (const link of linksIn(token.children)) {
        const preview = previewOf(link, sources, context)
        if (preview === undefined) continue
        waiting.push(preview.html)
        const isWhole = preview.isLink && link.from === 0 && link.to === token.children.length - 1
        if (isWhole && placed.at(-2)?.type === "paragraph_open") bare = placed.length - 2
      }
    }
    if (!ends.has(token.type) || waiting.length === 0) continue
    const isHidden = token.hidden && bare < 0
    if (bare >= 0 && token.type === "paragraph_close") placed.splice(bare)
    bare = -1
    const shown = new state.Token("preview", "", 0)
    shown.block = true
    shown.content = `${isHidden ? "\n" : ""}${waiting.join("\n")}\n`
    placed.push(shown)
    waiting = []
  }
  if (placed.length !== state.tokens.length) state.tokens = placed
}
