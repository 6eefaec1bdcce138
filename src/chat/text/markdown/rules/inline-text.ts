/**
 * Markup that is found in the plain text between other markup: links of bare addresses, matches of linkifiers, emoji as
 * characters. Runs after all other inline rules, on text that they left.
 */
import type { StateInline, Token } from "markdown-it"
import { findEmojiByCharacter } from "../../emoji/unicode-emoji.ts"
import { type CompiledLinkifier, compileLinkifier, type Linkifier } from "../../linkifiers/linkifier-pattern.ts"
import { contextOf, type RenderContext } from "../context/render-context.ts"
import { emojiToken } from "./emoji-rule.ts"
import { findAddresses, relativeTo } from "./web-addresses.ts"

const compiled = new WeakMap<Linkifier, { readonly linkifier: CompiledLinkifier | undefined }>()

/** Compiling one takes 2 ms at worst: where all of an organization are needed, they are compiled in slices before. */
export const compileOnce = (linkifier: Linkifier): CompiledLinkifier | undefined => {
  const known = compiled.get(linkifier)
  if (known !== undefined) return known.linkifier
  const made = { linkifier: compileLinkifier(linkifier) }
  compiled.set(linkifier, made)
  return made.linkifier
}

export interface FoundLink {
  readonly start: number
  readonly end: number
  readonly url: string
}

/** Links of addresses and linkifiers in a text, from left to right; where two overlap, the address or earlier one. */
export const findLinks = (
  text: string,
  linkifiers: ReadonlyArray<Linkifier>,
  spend: (steps: number) => boolean,
): ReadonlyArray<FoundLink> => {
  const found: Array<FoundLink> = [...findAddresses(text)]
  for (const linkifier of linkifiers) found.push(...(compileOnce(linkifier)?.matches(text, spend) ?? []))
  if (linkifiers.length === 0 || found.length < 2) return found
  const kept: Array<FoundLink> = []
  // The sort is stable: of two that begin at one place the first one found comes first.
  for (const link of found.sort((a, b) => a.start - b.start)) {
    if (link.start >= (kept.at(-1)?.end ?? 0)) kept.push(link)
  }
  return kept
}

/**
 * Whatever may be an emoji: keycaps, flags, and sequences of characters that are shown as emoji by themselves or by
 * their variation selector; an arrow or a digit without it stays text. Unicode's own list of sequences, as a property of
 * regular expressions, takes 50 times as long.
 */
const tone = "[\\u{1f3fb}-\\u{1f3ff}]"
const emojiCharacter = new RegExp(
  "[#*0-9]\\ufe0f\\u20e3|[\\u{1f1e6}-\\u{1f1ff}]{2}" +
    `|(?:\\p{Emoji_Presentation}|\\p{Emoji}\\ufe0f)(?:${tone}|\\ufe0f)?` +
    `(?:\\u200d\\p{Emoji}(?:${tone}|\\ufe0f)?){0,9}[\\u{e0020}-\\u{e007f}]{0,9}`,
  "gu",
)
const mayHoldEmoji = /[\u00a9-\u{10ffff}]|\u20e3/u

const textToken = (state: StateInline, content: string): Token => {
  const token = new state.Token("text", "", 0)
  token.content = content
  return token
}

/** A text with its emoji. One that has no name, or a skin tone, stays as it is. */
const splitEmoji = (state: StateInline, context: RenderContext, text: string): ReadonlyArray<Token> => {
  if (!mayHoldEmoji.test(text)) return [textToken(state, text)]
  const tokens: Array<Token> = []
  let done = 0
  for (const { 0: character, index } of text.matchAll(emojiCharacter)) {
    const emoji = findEmojiByCharacter(character)
    if (emoji === undefined || !context.takesEmoji()) continue
    if (index > done) tokens.push(textToken(state, text.slice(done, index)))
    tokens.push(emojiToken(state, emoji.name, emoji.code))
    done = index + character.length
  }
  if (done < text.length) tokens.push(textToken(state, text.slice(done)))
  return tokens
}

const linkTokens = (state: StateInline, url: string, shown: string): ReadonlyArray<Token> => {
  const open = new state.Token("link_open", "a", 1)
  open.attrs = [["href", url]]
  return [open, textToken(state, shown), new state.Token("link_close", "a", -1)]
}

const splitText = (state: StateInline, context: RenderContext, text: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let done = 0
  for (const { start, end, url } of findLinks(text, context.names.linkifiers, context.spend)) {
    if (start > done) tokens.push(...splitEmoji(state, context, text.slice(done, start)))
    tokens.push(...linkTokens(state, relativeTo(url, context.names.host), text.slice(start, end)))
    done = end
  }
  if (done < text.length) tokens.push(...splitEmoji(state, context, text.slice(done)))
  return tokens
}

/** A rule of markdown-it. */
export const inlineText = (state: StateInline): void => {
  const context = contextOf(state)
  const tokens: Array<Token> = []
  let links = 0
  for (const token of state.tokens) {
    if (token.type === "link_open") links++
    else if (token.type === "link_close") links--
    if (token.type !== "text") tokens.push(token)
    else if (links > 0) tokens.push(...splitEmoji(state, context, token.content))
    else tokens.push(...splitText(state, context, token.content))
  }
  state.tokens.splice(0, state.tokens.length, ...tokens)
}
