/**
 * A list of addresses as people paste it: from a spreadsheet, a mail program's field, a page. Between the addresses stand
 * commas, semicolons, line ends or spaces; each may be alone, behind a name (`"Doe, Jane" <jane@x.example>`), before a comment
 * (`jane@x.example (Jane)`) or a link (`mailto:`). What is no address comes out as it stands, to be told as wrong. In linear time.
 */

/** `,` and `;`, and those of Chinese and Japanese keyboards. */
const separators: ReadonlySet<string> = new Set([",", ";", "，", "、", "；"])

/** What one cannot see and mail programs put around addresses. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** What holds spaces and separators together, by its beginning. */
const closing: Readonly<Record<string, string>> = { '"': '"', "<": ">", "(": ")" }

/** What is longer is no address, and is told in part. */
const longestTold = 300

interface Part {
  /** `<`, `(`, `"` for what stands between these, else empty. */
  readonly kind: string
  readonly text: string
}

/** Reads what stands between marks, up to the end of the line: behind a beginning without an end it is undefined. */
const readHeld = (line: string, at: number): Part | undefined => {
  const kind = line.charAt(at)
  const end = closing[kind]
  if (end === undefined) return undefined
  for (let n = at + 1; n < line.length; n++) {
    if (kind === '"' && line.charAt(n) === "\\") n++
    else if (line.charAt(n) === end) return { kind, text: line.slice(at + 1, n) }
  }
  return undefined
}

interface Piece {
  readonly parts: ReadonlyArray<Part>
  readonly isBeforeComma: boolean
}

/** The parts of a line, piece by piece: what stands between marks, and words. */
const piecesOf = (line: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let parts: Array<Part> = []
  /** Marks whose end was looked for in vain: none comes any more in this line. */
  const endless = new Set<string>()
  let word = ""
  const endWord = () => {
    if (word !== "") parts.push({ kind: "", text: word })
    word = ""
  }
  const endPiece = (separator: string) => {
    endWord()
    pieces.push({ parts, isBeforeComma: separator === "," })
    parts = []
  }
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    // Within a word a quotation mark or a parenthesis is its own: `"a b"@x.example` is one word, and told as wrong.
    const mayHold = character === "<" || word === ""
    const held = mayHold && !endless.has(character) ? readHeld(line, at) : undefined
    if (held !== undefined) {
      endWord()
      parts.push(held)
      at += held.text.length + 1
    } else if (separators.has(character)) endPiece(character)
    else if (/\s/.test(character)) endWord()
    else {
      if (mayHold && closing[character] !== undefined) endless.add(character)
      word += character
    }
  }
  endPiece("")
  return pieces
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An address without what programs put around it: a link's scheme and fields, quotation marks. */
const bare = (text: string): string => {
  const inner = /^(['"‘“]?)(.*?)['"’”]?$/s.exec(text.trim())
  const [, mark = "", quoted = ""] = inner ?? []
  const alone = mark === "" ? text.trim() : quoted
  if (!/^mailto:/i.test(alone)) return alone
  const [path = ""] = alone.slice("mailto:".length).split("?", 1)
  return decoded(path).trim()
}

const isLike = (text: string): boolean => text.includes("@")

const cut = (text: string): string =>
  text.length > longestTold ? `${text.slice(0, longestTold).toWellFormed()}…` : text

const wrong = (parts: ReadonlyArray<Part>): string =>
  cut(parts.map(({ kind, text }) => `${kind}${text}${closing[kind] ?? ""}`).join(" "))

/** The addresses of one piece; names without one, and what stands in an address's place, as they are. */
const addressesOf = (piece: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let name: Array<Part> = []
  const endName = () => {
    if (name.length > 0) found.push(wrong(name))
    name = []
  }
  for (const part of piece) {
    const address = bare(part.text)
    if (part.kind === "<") {
      // Whoever is in brackets belongs to the name before them; an address in it that is another one is not left out unseen.
      const other = name.some(({ kind, text }) => kind === "" && isLike(text) && bare(text) !== address)
      found.push(other || address === "" ? wrong([...name, part]) : cut(address))
      name = []
    } else if (part.kind === "(") continue
    else name.push(part)
  }
  for (const part of name.splice(0)) {
    if (!isLike(part.text)) name.push(part)
    else {
      endName()
      found.push(cut(bare(part.text)))
    }
  }
  endName()
  return found
}

const isName = (parts: ReadonlyArray<Part>): boolean =>
  parts.length > 0 && parts.every(({ kind, text }) => kind !== "<" && !isLike(text))

/** Outlook writes `Doe, Jane <jane@x.example>; Roe, …`: what stands before a comma is the name's beginning there. */
const withNames = (pieces: ReadonlyArray<Piece>): ReadonlyArray<ReadonlyArray<Part>> => {
  const whole: Array<ReadonlyArray<Part>> = []
  let before: ReadonlyArray<Part> = []
  for (const { parts, isBeforeComma } of pieces) {
    const bracket = parts.findIndex(({ kind }) => kind === "<")
    const isRest = bracket >= 0 && !parts.slice(0, bracket).some(({ text }) => isLike(text))
    if (before.length > 0 && !isRest) whole.push(before)
    const own = isRest ? [...before, ...parts] : parts
    before = isBeforeComma && isName(own) ? own : []
    if (before.length === 0) whole.push(own)
  }
  return [...whole, before]
}

/** What stands in the list, in its order: addresses, and pieces that are none. */
export const readAddressList = (raw: string): ReadonlyArray<string> =>
  raw
    .replace(invisible, "")
    .split(/[\r\n]+/)
    .flatMap((line) => withNames(piecesOf(line)).flatMap(addressesOf))
    .filter((text) => text !== "")
