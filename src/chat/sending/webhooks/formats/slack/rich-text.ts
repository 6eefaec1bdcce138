/**
 * Slack's rich text: styled pieces within sections, lists, quotes and code, however deep. Its texts are plain, without
 * escapes and marks.
 */
import * as Predicate from "effect/Predicate"
import { block, code, gather, link, linkOf, plain, plainLines } from "../markup.ts"
import { at, either, isTrue, listAt, textAt } from "../payload.ts"
import { withEmoji } from "./emoji.ts"
import { longest, timeOf } from "./text.ts"
import { textsWithin } from "./unknown-blocks.ts"

/** A text as it is: spaces around a part of a line belong to it. */
const rawText = (element: unknown): string => {
  const text = at(element, "text")
  return Predicate.isString(text) ? text : ""
}

const isText = (element: unknown): boolean => textAt(element, "type") === "text"
const marksOf = (element: unknown): string => {
  const has = (style: string) => isTrue(element, "style", style)
  return `${has("bold") ? "**" : ""}${has("italic") ? "*" : ""}${has("strike") ? "~~" : ""}`
}
const isCode = (element: unknown): boolean => isTrue(element, "style", "code")

/** Pieces of one style in a row as one: marks of two that touch would be one mark. */
const joined = (elements: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const pieces: Array<unknown> = []
  let run: Array<string> = []
  for (const [index, element] of elements.entries()) {
    const next = elements[index + 1]
    run.push(rawText(element))
    if (isText(element) && isText(next) && marksOf(element) === marksOf(next) && isCode(element) === isCode(next))
      continue
    pieces.push(run.length > 1 ? { type: "text", text: run.join(""), style: at(element, "style") } : element)
    run = []
  }
  return pieces
}

/** Marks stand at the edges of words, and around one line. */
const styled = (element: unknown, made: string): string => {
  const [, before = "", inner = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(made) ?? []
  if (inner === "" || inner.includes("\n")) return made
  const marks = marksOf(element)
  return `${before}${marks}${inner}${[...marks].reverse().join("")}${after}`
}

const emoji = (element: unknown): string => {
  const points = textAt(element, "unicode")
  const tone = textAt(element, "skin_tone")
  const isKnown = /^[0-9a-f]{2,5}(?:-[0-9a-f]{2,5})*$/i.test(points)
  return isKnown
    ? String.fromCodePoint(...points.split("-").map((point) => Number.parseInt(point, 16)))
    : withEmoji(`:${textAt(element, "name").replace(/[^\w+-]/g, "")}:${tone === "" ? "" : `:skin-tone-${tone}:`}`)
}

const inlineText = (element: unknown): string | undefined => {
  const [type, url] = [textAt(element, "type"), textAt(element, "url")]
  switch (type) {
    case "text":
      return isCode(element) ? code(rawText(element), longest) : plainLines(withEmoji(rawText(element)), longest)
    case "link": {
      const text = either(textAt(element, "text"), url)
      return isCode(element) ? linkOf(code(text), url) : link(text, url)
    }
    case "emoji":
      return emoji(element)
    case "user":
    case "usergroup":
    case "team":
      return plain(`@${textAt(element, `${type}_id`)}`)
    case "channel":
      return plain(`#${textAt(element, "channel_id")}`)
    case "broadcast":
      return plain(`@${textAt(element, "range")}`)
    case "date":
      return either(timeOf(textAt(element, "timestamp")), plain(textAt(element, "fallback")))
    case "color":
      return plain(textAt(element, "value"))
    default:
      return undefined
  }
}

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`)

const indentDepth = (value: unknown): number => {
  const given = Number(value)
  return Number.isInteger(given) && given > 0 ? Math.min(given, 8) : 0
}

const listText = (list: unknown): string => {
  const isOrdered = textAt(list, "style") === "ordered"
  const margin = "   ".repeat(indentDepth(at(list, "indent")))
  const offset = Number(textAt(list, "offset"))
  const first = Number.isInteger(offset) && offset > 0 && offset < 1e6 ? offset + 1 : 1
  return gather(listAt(list, "elements"), richText)
    .map((item, index) => `${margin}${isOrdered ? `${first + index}.` : "*"} ${indented(item.trim(), `${margin}   `)}`)
    .join("\n")
}

/** The texts within a rich text. */
export const richText = (element: unknown): string => {
  const made = inlineText(element)
  if (made !== undefined) return isCode(element) || made === "" ? made : styled(element, made)
  const elements = listAt(element, "elements")
  switch (textAt(element, "type")) {
    case "rich_text_preformatted":
      return block(elements.map((each) => either(rawText(each), textAt(each, "url"))).join(""), "", longest).trim()
    case "rich_text_quote":
      return `> ${indented(gather(joined(elements), richText).join("").trim(), "> ")}\n`
    case "rich_text_list":
      return listText(element)
    case "rich_text":
      return gather(elements, richText).join("\n").trim()
    case "rich_text_section":
      return gather(joined(elements), richText).join("")
    default:
      return Predicate.isObject(element) ? textsWithin(element, richText, (text) => plainLines(text, longest)) : ""
  }
}
