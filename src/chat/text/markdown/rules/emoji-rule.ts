/** Emoji by name, `:smile:`: the realm's own ones come before Unicode's. A rule of markdown-it. */
import type { StateInline, Token } from "markdown-it"
import { ownEmoji } from "../../emoji/own-emoji.ts"
import { findEmojiByName } from "../../emoji/unicode-emoji.ts"
import { contextOf } from "../context/render-context.ts"

const colon = 0x3a
const emojiName = /:([\w+-]{1,100}):/y

/** `name`: as it was written, or the one that is shown for a character. Names of emoji need no escaping. */
export const emojiToken = (state: StateInline, name: string, code: string): Token => {
  const token = new state.Token("emoji", "", 0)
  const title = name.replaceAll("_", " ")
  token.content = `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`
  return token
}

const imageToken = (state: StateInline, name: string, address: string): Token => {
  const token = new state.Token("emoji_image", "img", 0)
  token.attrs = [
    ["alt", `:${name}:`],
    ["class", "emoji"],
    ["src", address],
    ["title", name.replaceAll("_", " ")],
  ]
  return token
}

const tokenFor = (state: StateInline, name: string): Token | undefined => {
  const address =
    contextOf(state).names.customEmoji.get(name) ?? (name === ownEmoji.name ? ownEmoji.address : undefined)
  if (address !== undefined) return imageToken(state, name, address)
  const emoji = findEmojiByName(name)
  return emoji === undefined ? undefined : emojiToken(state, name, emoji.code)
}

export const emojiByName = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== colon) return false
  emojiName.lastIndex = pos
  const name = emojiName.exec(src)?.[1]
  if (name === undefined || pos + name.length + 2 > state.posMax) return false
  const token = tokenFor(state, name)
  if (token === undefined || !contextOf(state).takesEmoji()) return false
  const { attrs, content } = token
  Object.assign(state.push(token.type, token.tag, 0), { attrs, content })
  state.pos += name.length + 2
  return true
}
