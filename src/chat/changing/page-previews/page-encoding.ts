/**
 * The encoding of a web page, found as browsers find it: by the mark at its beginning, by what the answer says, by what
 * the page says of itself; names that nobody knows are passed over. A page that says nothing is taken for UTF-8 where
 * it reads as that, else for windows-1252.
 */
import { isAscii } from "node:buffer"
import { TextDecoder } from "node:util"
import { Parser } from "htmlparser2"

/** Browsers show no page in these: what was written to be harmless could read as something else. */
const unreadable: ReadonlySet<string> = new Set(
  "replacement csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr".split(" "),
)

/** As `TextDecoder` calls them, and one for all that nobody reads. */
export type PageEncoding = string
const replacement: PageEncoding = "replacement"
const latin: PageEncoding = "windows-1252"

/** The names of encodings are shorter, with the spaces around them. */
const longestLabel = 100

/** The encoding of a name; undefined for an unknown one. */
const named = (label: string): PageEncoding | undefined => {
  const name = label.slice(0, longestLabel).trim().toLowerCase()
  if (unreadable.has(name)) return replacement
  if (name === "x-user-defined") return latin
  try {
    const { encoding } = new TextDecoder(name)
    // The larger one has all of its characters, and some versions of Node read them only so.
    return encoding === "gbk" ? "gb18030" : encoding
  } catch {
    return undefined
  }
}

/** What names its encoding in letters of one byte has no letters of two. */
export const namedWithin = (label: string): PageEncoding | undefined => {
  const encoding = named(label)
  return encoding?.startsWith("utf-16") === true ? "utf-8" : encoding
}

const parameter = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']*))/i

const charsetIn = (text: string): string | undefined => {
  const [, double, single, plain] = parameter.exec(text.slice(0, 1000)) ?? []
  return double ?? single ?? plain
}

/** What an element `meta` calls the page's encoding; undefined if it is about something else. */
export const labelOfMeta = (attributes: Readonly<Record<string, string>>): string | undefined => {
  const { charset, "http-equiv": header = "", content = "" } = attributes
  if (charset !== undefined) return charset
  return header.slice(0, longestLabel).trim().toLowerCase() === "content-type" ? charsetIn(content) : undefined
}

const startsWith = (bytes: Uint8Array, ...first: ReadonlyArray<number>): boolean =>
  first.every((byte, at) => bytes[at] === byte)

const byMark = (bytes: Uint8Array): PageEncoding | undefined => {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return "utf-8"
  if (startsWith(bytes, 0xff, 0xfe)) return "utf-16le"
  return startsWith(bytes, 0xfe, 0xff) ? "utf-16be" : undefined
}

/** What is sure whatever the page says: its mark, before what the answer says. */
export const sureEncoding = (bytes: Uint8Array, contentType: string): PageEncoding | undefined =>
  byMark(bytes) ?? named(charsetIn(contentType) ?? "")

/** Bytes at the beginning that browsers look through before they read a page. */
const lookedThrough = 1024
const declaration = /^<\?xml\s[^>]*?\bencoding\s*=\s*(?:"([^"]*)"|'([^']*)')/

/** What the page says at its beginning, wherever that stands. */
export const encodingSaid = (bytes: Uint8Array, contentType: string): PageEncoding | undefined => {
  if (startsWith(bytes, 0x3c, 0, 0x3f, 0, 0x78, 0)) return "utf-16le"
  if (startsWith(bytes, 0, 0x3c, 0, 0x3f, 0, 0x78)) return "utf-16be"
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, lookedThrough)).toString(
    "latin1",
  )
  let ofMeta: PageEncoding | undefined
  const onopentag = (name: string, attributes: Readonly<Record<string, string>>) => {
    if (name === "meta") ofMeta ??= namedWithin(labelOfMeta(attributes) ?? "")
  }
  new Parser({ onopentag }).write(beginning)
  const [, double, single] = declaration.exec(beginning) ?? []
  const ofXml = namedWithin(double ?? single ?? "")
  return contentType.toLowerCase().includes("xhtml") ? (ofXml ?? ofMeta) : (ofMeta ?? ofXml)
}

/** Bytes of a piece. */
const pieceSize = 16 * 1024

/** By the first piece that has other letters than ASCII: a text of windows-1252 hardly ever reads as UTF-8. */
export const guessedEncoding = (bytes: Uint8Array): PageEncoding => {
  for (let at = 0; at < bytes.byteLength; at += pieceSize) {
    const piece = bytes.subarray(at, at + pieceSize)
    if (isAscii(piece)) continue
    let read = 0
    let wrong = 0
    // A letter that is cut at the end of the piece is left out.
    for (const letter of new TextDecoder("utf-8").decode(piece, { stream: true })) {
      if (letter === "\ufffd") wrong++
      else if (letter > "\u007f") read++
    }
    return read >= wrong ? "utf-8" : latin
  }
  return "utf-8"
}

/** Undefined for what nobody reads. */
export const decoderOf = (encoding: PageEncoding): TextDecoder | undefined =>
  encoding === replacement ? undefined : new TextDecoder(encoding)
