/**
 * Reads a `multipart/form-data` body: the text fields, and the parts that are files. Strict about the
 * frame (a truncated body is an error, never half a form), lenient about text between the parts. uWebSockets' own
 * parser is not used: it writes into the body, ends at an empty field and does not know a quoted boundary. Called by
 * request-fields.ts.
 */
import { isUtf8 } from "node:buffer"

/** A part that carries a file. `bytes` is a part of the body, valid as long as that is. */
export interface FilePart {
  /** The name of its field. */
  readonly name: string
  readonly bytes: Uint8Array
}

export interface MultipartForm {
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly files: ReadonlyArray<FilePart>
}

/** A longer header block of a part, or a longer name of a field, makes the body invalid. */
const partHeaderBytes = 8192
const longestName = 256

const boundaryParameter = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i
const dispositionLine = /^content-disposition:[ \t]*form-data[ \t]*(;.*)?$/im
/** Read one after the other from where the last one ended, so that no header costs more than its length. */
const attribute = /;[ \t]*([a-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/iy

/** Browsers write a quotation mark and line ends in a name as percent escapes, older clients with a backslash. */
export const unescapeName = (name: string): string =>
  name
    .replace(/\\(["\\])/g, "$1")
    .replace(/%22|%0D|%0A/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))

/** A part has two or three; further ones are not read. */
const mostAttributes = 10

const readAttributes = (line: string): ReadonlyMap<string, string> => {
  const attributes = new Map<string, string>()
  attribute.lastIndex = 0
  for (let count = 0; count < mostAttributes; count++) {
    const found = attribute.exec(line)
    if (found === null) break
    attributes.set((found[1] ?? "").toLowerCase(), found[2] ?? found[3] ?? "")
  }
  return attributes
}

const textOf = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString("utf8") : undefined)

/** Undefined where the body is not such a form, is cut short, has more than `most` parts or is not UTF-8. */
export const readMultipart = (body: Uint8Array, contentType: string, most: number): MultipartForm | undefined => {
  const found = boundaryParameter.exec(contentType)
  const boundary = found?.[1] ?? found?.[2]
  if (boundary === undefined) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const mark = Buffer.from(`\r\n--${boundary}`, "latin1")
  const fields: Array<readonly [string, string]> = []
  const files: Array<FilePart> = []
  // The first boundary may stand at the very beginning, without a line end before it.
  let at = bytes.indexOf(mark.subarray(2))
  if (at < 0 || (at > 0 && !bytes.subarray(at - 2, at).equals(mark.subarray(0, 2)))) return undefined
  at += mark.length - 2
  for (let count = 0; ; count += 1) {
    const after = bytes.toString("latin1", at, at + 2)
    if (after === "--") return { fields, files }
    if (after !== "\r\n" || count === most) return undefined
    const end = bytes.indexOf(mark, at)
    if (end < 0) return undefined
    const headerEnd = bytes.subarray(at, Math.min(end, at + partHeaderBytes)).indexOf("\r\n\r\n")
    const header = headerEnd < 0 ? undefined : textOf(bytes.subarray(at, at + headerEnd))
    const disposition = header === undefined ? undefined : dispositionLine.exec(header)?.[1]
    const attributes = readAttributes(disposition ?? "")
    const name = attributes.get("name")
    if (name === undefined || name.length > longestName) return undefined
    if (attributes.has("filename") || attributes.has("filename*")) {
      files.push({ name: unescapeName(name), bytes: bytes.subarray(at + headerEnd + 4, end) })
    } else {
      const value = textOf(bytes.subarray(at + headerEnd + 4, end))
      if (value === undefined) return undefined
      fields.push([unescapeName(name), value])
    }
    at = end + mark.length
  }
}
