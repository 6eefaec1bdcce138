/**
 * Entities of HTML, `&amp;`, `&#96;` and `&#x60;`: existing clients write them for characters that a markup cannot hold.
 * One stands for its character, which is no markup then, whatever it is. What names no character stays as it is typed:
 * unknown names, NUL and other controls, surrogates, numbers beyond Unicode.
 */
import MarkdownParser from "markdown-it"

// The table of names is the parser's own.
const { unescapeAll } = new MarkdownParser("zero").utils

const entity = /&(?:#\d{1,8}|#x[0-9a-f]{1,8}|[a-z][a-z0-9]{1,31});/gi
const entityHere = new RegExp(entity.source, "iy")

export interface HtmlEntity {
  /** Characters of the text. */
  readonly length: number
  readonly character: string
}

/** The entity that begins at a place; undefined if none does. */
export const entityAt = (text: string, at: number): HtmlEntity | undefined => {
  entityHere.lastIndex = at
  const [found] = entityHere.exec(text) ?? []
  const character = found === undefined ? undefined : unescapeAll(found)
  return found === undefined || character === undefined || character === found
    ? undefined
    : { length: found.length, character }
}

/** Longer entities do not exist. */
const longest = 34

/** The character of the entity that ends right before a place; undefined if none does. */
export const entityBefore = (text: string, at: number): string | undefined => {
  if (text.charAt(at - 1) !== ";") return undefined
  const last = text.slice(Math.max(0, at - longest), at)
  const start = last.lastIndexOf("&")
  const found = start < 0 ? undefined : entityAt(last, start)
  return found !== undefined && start + found.length === last.length ? found.character : undefined
}

/** A text with the characters of its entities, each decoded once. */
export const decodeEntities = (text: string): string =>
  text.includes("&") ? text.replace(entity, (found) => unescapeAll(found)) : text
