/**
 * Descriptions and comments of GitHub, GitLab and others like them: Markdown in which HTML may stand, as Markdown without it,
 * because here it would be shown as it is. Comments go, of what is folded together its title stays, pictures and links become
 * links, other tags go. Code stays as it is. Read from left to right, once.
 */
import { entityAt } from "../../../text/characters/entities.ts"
import { CodeFinder, codeStarts } from "./markdown-code.ts"
import { leftOut, linkOf, plain } from "./markup.ts"

/** Definitions without an address are comments, too: `[//]: # (a comment)`. */
const definition = String.raw`^ {0,3}\[[^\]\n]{1,100}\]:[ \t]*(?:#|<>)(?:[ \t]+(?:\([^\n]*\)|"[^\n]*"|'[^\n]*'))?[ \t]*$`
/** The text of a picture. Where another picture begins in it, that one is looked at only: each place is read once. */
const alternative = String.raw`(?:(?!!\[)[^\]\n]){0,300}`
const starts = new RegExp(`${codeStarts}|(${definition})|(!)(?=\\[${alternative}\\]\\()|(<)(?=[A-Za-z/!?])`, "gm")

/** What is invisible from its beginning to its end, whatever it holds. */
const invisible: ReadonlyArray<readonly [begin: string, end: string]> = [
  ["<!--", "-->"],
  ["<?", "?>"],
  ["<![CDATA[", "]]>"],
]

const tag = /<(\/?)([a-z][a-z\d-]*)((?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*)\s*\/?>/iy
const attribute = /([a-z_:][\w.:-]*)(?:\s*=\s*(?:([^\s"'=<>`]+)|'([^']*)'|"([^"]*)"))?/gi

const badge = new RegExp(`!\\[(${alternative})\\]\\([^()\\s]{0,1000}\\)(?=\\])`, "y")

/** What begins a line of its own. */
const blocks: ReadonlySet<string> = new Set(
  "address article aside blockquote center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr ol p pre section table tr ul".split(
    " ",
  ),
)

const decoded = (text: string): string =>
  text.replace(/&[#\w]{1,32};/g, (entity) => entityAt(entity, 0)?.character ?? entity)

const attributeOf = (attributes: string, name: string): string => {
  for (const [, key = "", bare, single, double] of attributes.matchAll(attribute))
    if (key.toLowerCase() === name) return decoded(bare ?? single ?? double ?? "").trim()
  return ""
}

class Reader {
  readonly #text: string
  readonly #code: CodeFinder
  #pieces: Array<string> = []
  #at = 0
  /** Where the line of the text begins. */
  #line = 0
  /** Whether what is made so far ends with a line. */
  #isFresh = true
  /** Elements `details` that are open, and whether the title of the outermost is being read, or was. */
  #folded = 0
  #title: "none" | "open" | "read" = "none"
  /** A link that is open: its address, and where its text begins. */
  #link: { readonly url: string; readonly from: number } | undefined
  /** Ends that are nowhere in what follows. */
  readonly #missing = new Set<string>()

  constructor(text: string) {
    this.#text = text
    this.#code = new CodeFinder(text)
  }

  read(): string {
    for (;;) {
      starts.lastIndex = this.#at
      const found = starts.exec(this.#text)
      this.#keep(found === null ? this.#text.length : found.index)
      if (found === null) return this.#end()
      const [whole, hidden, picture, angle] = found
      if (hidden !== undefined) this.#skip(this.#at + whole.length)
      else if (picture !== undefined) this.#badge()
      else if (angle !== undefined) this.#angle()
      else this.#keep(this.#code.endOf(this.#at) ?? this.#at + whole.length)
    }
  }

  #end(): string {
    const isHidden = this.#folded > 0 && this.#title === "none"
    return this.#pieces.join("") + (isHidden ? leftOut : "")
  }

  /** Takes the text up to a place as it is. */
  #keep(end: number): void {
    const text = this.#text.slice(this.#at, end)
    this.#push(text)
    this.#pass(end)
  }

  #pass(end: number): void {
    const last = this.#text.slice(this.#at, end).lastIndexOf("\n")
    if (last >= 0) this.#line = this.#at + last + 1
    this.#at = end
  }

  /** Leaves the text out up to a place; and the line, where nothing else is in it. */
  #skip(end: number): void {
    this.#pass(end)
    if (!this.#isFresh) return
    const rest = /[ \t]*\n/y
    rest.lastIndex = end
    const [line = ""] = rest.exec(this.#text) ?? []
    this.#pass(end + line.length)
  }

  #push(text: string): void {
    if (text === "" || (this.#folded > 0 && this.#title !== "open")) return
    this.#pieces.push(text)
    if (text.trim() !== "" || text.includes("\n")) this.#isFresh = /\n[ \t]*$/.test(text.slice(-100))
  }

  #newLine(): void {
    if (!this.#isFresh) this.#push("\n")
  }

  /** A picture as the text of a link is its words: no link can be within another. */
  #badge(): void {
    badge.lastIndex = this.#at
    const [whole, alt = ""] = (this.#text[this.#at - 1] === "[" ? badge.exec(this.#text) : null) ?? []
    if (whole !== undefined) this.#push(alt.trim() === "" ? "image" : alt)
    this.#at += whole?.length ?? 1
  }

  #angle(): void {
    const [begin, end] = invisible.find(([begin]) => this.#text.startsWith(begin, this.#at)) ?? []
    if (begin !== undefined && end !== undefined) return this.#invisible(begin, end)
    tag.lastIndex = this.#at
    const found = tag.exec(this.#text)
    if (found === null) return this.#keep(this.#at + 1)
    const [whole, slash, name = "", attributes = ""] = found
    this.#pass(this.#at + whole.length)
    this.#tag(name.toLowerCase(), slash !== "/", attributes)
  }

  /** What is never closed hides all that follows where it begins a line, and is text elsewhere. */
  #invisible(begin: string, end: string): void {
    // `<!-->` is a whole comment.
    const found = this.#missing.has(end) ? -1 : this.#text.indexOf(end, this.#at + 2)
    if (found >= 0) return this.#skip(found + end.length)
    this.#missing.add(end)
    if (/^\s*$/.test(this.#text.slice(this.#line, this.#at))) this.#pass(this.#text.length)
    else this.#keep(this.#at + begin.length)
  }

  #tag(name: string, isOpen: boolean, attributes: string): void {
    if (name === "details") this.#details(isOpen)
    else if (name === "summary") this.#summary(isOpen)
    else if (name === "a") this.#anchor(isOpen ? attributeOf(attributes, "href") : undefined)
    else if (name === "img" && isOpen) this.#picture(attributeOf(attributes, "alt"), attributeOf(attributes, "src"))
    else if (name === "br") this.#break()
    else if (name === "li" && isOpen) {
      this.#newLine()
      this.#push("* ")
    } else if (name === "td" || name === "th") this.#push(" ")
    else if (blocks.has(name)) this.#newLine()
  }

  /** A break within a row of a table would end the table. */
  #break(): void {
    const isRow = /^\s*\|/.test(this.#text.slice(this.#line, this.#line + 20))
    this.#push(isRow ? " " : "\n")
    if (!isRow && this.#text[this.#at] === "\n") this.#pass(this.#at + 1)
  }

  #details(isOpen: boolean): void {
    if (isOpen) {
      if (this.#folded === 0) this.#newLine()
      if (this.#folded++ === 0) this.#title = "none"
      return
    }
    if (this.#folded === 0 || --this.#folded > 0) return
    if (this.#title !== "read") this.#push(leftOut)
    this.#newLine()
  }

  #summary(isOpen: boolean): void {
    if (this.#folded !== 1) return
    if (isOpen && this.#title === "none") this.#title = "open"
    else if (!isOpen && this.#title === "open") {
      this.#push(` ${leftOut}`)
      this.#title = "read"
    }
  }

  #picture(alt: string, url: string): void {
    const name = plain(alt)
    this.#push(this.#link === undefined ? linkOf(name === "" ? "image" : name, url) : name || "image")
  }

  /** `url`: undefined where a link ends. */
  #anchor(url: string | undefined): void {
    if (url !== undefined) {
      this.#link = { url, from: this.#pieces.length }
      return
    }
    const link = this.#link
    this.#link = undefined
    if (link === undefined) return
    const shown = this.#pieces.slice(link.from).join("")
    if (shown.trim() === "" || /[\n[\]]/.test(shown)) return
    this.#pieces.splice(link.from, this.#pieces.length - link.from, linkOf(shown.trim(), link.url))
  }
}

const mayHoldHtml = /[<!]|^ {0,3}\[/m

export const withoutHtml = (text: string): string => (mayHoldHtml.test(text) ? new Reader(text).read() : text)
