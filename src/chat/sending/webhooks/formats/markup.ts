/**
 * Foreign texts within messages. A name or a title says what it says, whatever it looks like: it makes no markup and
 * mentions nobody. What is markup to those who wrote it (a comment) stands in a quote, where mentions are silent.
 */
import { cut, unwantedCharacters } from "../../../ground/realm/domain-values.ts"

/** Characters of a title or a name, of a quote, and items of a list that are shown. */
const longestTitle = 200
const longestQuote = 2000
const longestAddress = 1000
export const mostItems = 20

const entities: Readonly<Record<string, string>> = { "*": "&#42;", "`": "&#96;", "[": "&#91;", "]": "&#93;" }
const special = /[*`[\]]/g

/** What begins a block where it begins a line. */
const blockStart = /^(?:[>|]|#(?=#*(?:\s|$))|[+-](?=[\s-]|$)|\d+(?=[.)](?:\s|$)))/

/** One line of plain text. */
export const oneLine = (text: string, longest = longestTitle): string =>
  cut(
    text
      .slice(0, 8 * longest)
      .replace(/\s+/g, " ")
      .replace(unwantedCharacters, "")
      .trim(),
    longest,
    "...",
  )

/** Most texts have none of this, and are as they are: each of thousands of lines would ask seven questions. */
const mayBeMarkup = /[&*`[\]~$<]|^[>|#+\d-]/

/** Text in which nothing is markup but web addresses, emoji and the organization's own patterns. */
const escaped = (text: string): string => {
  if (!mayBeMarkup.test(text)) return text
  return text
    .replace(/&(?=#?\w+;)/g, "&amp;")
    .replace(special, (character) => entities[character] ?? character)
    .replace(/~(?=~)/g, "&#126;")
    .replace(/\$(?=\$)/g, "&#36;")
    .replace(/<(?=time:)/gi, "&lt;")
    .replace(blockStart, (start) => `&#${start.charCodeAt(0)};${start.slice(1)}`)
}

/** A name or a title, on one line. */
export const plain = (text: string): string => escaped(oneLine(text))

/** A text of several lines, of which each is plain. */
export const plainLines = (text: string, longest = longestQuote): string =>
  cut(text, longest, "...")
    .split("\n")
    .map((line) => escaped(line.replace(unwantedCharacters, "")))
    .join("\n")

export const bold = (text: string): string => (oneLine(text) === "" ? "" : `**${plain(text)}**`)

/** Names of branches, hashes. */
export const code = (text: string, longest = longestTitle): string => {
  const line = oneLine(text, longest).replaceAll("`", "'")
  return line === "" ? "" : `\`${line}\``
}

const webAddress = /^https?:\/\/[^\s<>"]+$/i

const inParentheses = (url: string): string =>
  url.replace(/[()[\]\\`*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** A link whose text is Markdown already, where the address is one of the web; else the text alone. */
export const linkOf = (shown: string, url: string): string => {
  if (url.length > longestAddress || !webAddress.test(url)) return shown
  return `[${shown === "" ? "link" : shown}](${inParentheses(url)})`
}

/** A link, where the address is one of the web; else the text alone. */
export const link = (text: string, url: string): string => linkOf(plain(text), url)

/** A text in a quote: what is markup to this server is markup. */
export const quoteText = (text: string): string => {
  const body = cut(text.replace(/\r\n?/g, "\n").trim(), longestQuote, "\n[...]").replace(/~{4,}/g, "~~~")
  return body === "" ? "" : `\n~~~~ quote\n${body}\n~~~~`
}

/** Text as it is, such as the output of a program. */
export const block = (text: string, language = "", longest = longestQuote): string => {
  const body = cut(
    text
      .slice(0, 2 * longest + 2)
      .replace(/\r\n?/g, "\n")
      .trimEnd(),
    longest,
    "\n[...]",
  ).replace(/~{4,}/g, "~~~")
  return body === "" ? "" : `\n~~~~${language === "" ? "" : ` ${language}`}\n${body}\n~~~~`
}

/** So many items of a list as lines; then how many more there are. `total`: where the service left some out itself. */
export const bullets = <A>(items: ReadonlyArray<A>, toLine: (item: A) => string, total = items.length): string => {
  const shown = items.slice(0, mostItems).map(toLine)
  const left = Math.max(total, items.length) - shown.length
  return [...shown.map((line) => `* ${line}`), ...(left > 0 ? [`* and ${left} more`] : [])].join("\n")
}

/** What stands where something was left out. */
export const leftOut = "[...]"

/** Characters that are gathered: a message has 10,000. */
const mostGathered = 12_000

/** The texts of items that are not empty, as many as a message may show, and that there are more. */
export const gather = <A>(items: Iterable<A>, toText: (item: A) => string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let length = 0
  for (const item of items) {
    if (length > mostGathered) {
      texts.push(leftOut)
      break
    }
    const text = toText(item)
    length += text.length + 1
    if (text !== "") texts.push(text)
  }
  return texts
}

/** Words with one space between them, those left out that are empty. */
export const words = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join(" ")

/** A topic: one line without characters that no topic may have. Longer ones are cut by the send. */
export const topicOf = (...texts: ReadonlyArray<string>): string =>
  oneLine(texts.filter((text) => text !== "").join(" / "), 100)
