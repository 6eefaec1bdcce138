/** Slack's own markup (mrkdwn) as Markdown: emphasis, code, quotes, and `<address|text>`. Whatever names somebody mentions nobody. */
import { cut } from "../../../../ground/realm/domain-values.ts"
import { block, code, leftOut, link, linkOf, oneLine, plain, plainLines } from "../markup.ts"
import { either } from "../payload.ts"
import { withEmoji } from "./emoji.ts"
import { emphasised } from "./emphasis.ts"

/** Characters of one text that are looked at. */
export const longest = 8000

/** Slack's three escapes, each once: `&amp;lt;` is `&lt;`. */
export const decoded = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** A text without markup, as that of a button. */
export const plainText = (raw: string): string => plainLines(withEmoji(decoded(raw)), longest).trim()

/** Seconds since 1970 as a time that everybody sees in their own zone; empty where they are none. */
export const timeOf = (seconds: string): string => {
  const milliseconds = Math.round(Number(seconds) * 1000)
  return seconds !== "" && milliseconds > 0 && milliseconds < 4e12
    ? `<time:${new Date(milliseconds).toISOString()}>`
    : ""
}

/** `!here`, `!subteam^S1|@team`, `!date^1700000000^{date}^https://a.example|a day`. */
const command = (target: string, name: string): string => {
  const [word = "", value = "", , url = ""] = target.slice(1).split("^")
  if (word === "date") return url === "" ? either(timeOf(value), plain(name)) : link(name, url)
  return plain(name === "" ? `@${value === "" ? word : value}` : name)
}

/** The text of a link, on one line and without fences. */
const label = (raw: string): string => inline(oneLine(raw).replace(/`{2,}/g, "`"))

/** `<...>`, which is an address, a person, a channel, or a word of Slack's. */
const angle = (inner: string): string => {
  const bar = inner.indexOf("|")
  const target = decoded(bar < 0 ? inner : inner.slice(0, bar))
  const raw = bar < 0 ? "" : inner.slice(bar + 1)
  const name = decoded(raw)
  const [sign = ""] = target
  if (sign === "!") return command(target, name)
  if (sign === "@" || sign === "#") return plain(sign + (name === "" ? target.slice(1) : name.replace(/^[@#]/, "")))
  if (/^(?:mailto|tel):/i.test(target)) return plain(name === "" ? target.replace(/^\w+:/, "") : name)
  return name.trim() === "" || name === target ? link(target, target) : linkOf(label(raw), target)
}

/** Stands for what is made already while the text around it is read. */
const unit = "\uE000"

/** Code between fences, code, what stands between angle brackets, and addresses, in which no mark counts. */
const parts =
  /```([\s\S]*?)(?:```|$)|`([^`\n]+)`|<((?:[@#!]|[a-z][\w+.-]{0,20}:)[^<>\n]+)>|https?:\/\/[^\s<>`|"\uE000]*[^\s<>`|"\uE000*_~.,;:!?()'\]]/gi

/** A text in which units stand for what is made already, and these. */
const withUnits = (raw: string): readonly [string, ReadonlyArray<string>] => {
  const units: Array<string> = []
  const hold = (made: string): string => {
    units.push(made)
    return unit
  }
  const text = raw.replaceAll(unit, "").replace(parts, (whole, fenced?: string, span?: string, inner?: string) => {
    if (fenced?.trim() === "") return "\n"
    if (fenced !== undefined) return `\n${hold(block(decoded(fenced).replace(/^\n/, ""), "", longest).trim())}\n`
    if (span !== undefined) return hold(code(decoded(span), longest))
    return hold(inner === undefined ? plainLines(decoded(whole), longest) : angle(inner))
  })
  return [text, units]
}

const marked = (line: string): string =>
  line === "" ? "" : emphasised(withEmoji(line), (text) => plainLines(text, longest))

/** One line; within the text of a link, too, where no further link can be. */
const inline = (raw: string): string => {
  const [text, units] = withUnits(raw)
  let next = 0
  return marked(decoded(text)).replaceAll(unit, () => units[next++] ?? "")
}

const quoted = /^\s*>(>>)?[ \t]?/

/** Lines as paragraphs of Markdown: a quote ends where the next line is none. */
export const slackText = (raw: string): string => {
  if (raw === "") return ""
  const [text, units] = withUnits(cut(raw, longest, ` ${leftOut}`))
  let [next, wasQuote, isRest] = [0, false, false]
  const made = decoded(text)
    .split("\n")
    .flatMap((line) => {
      const [start = "", toEnd] = quoted.exec(line) ?? []
      isRest ||= toEnd !== undefined
      const isQuote = isRest || start !== ""
      const shown = marked(line.slice(start.length)).replaceAll(unit, () => units[next++] ?? "")
      const lines = isQuote ? shown.split("\n").map((each) => `> ${each}`) : [shown]
      const between = wasQuote && !isQuote && shown.trim() !== "" ? [""] : []
      wasQuote = isQuote
      return [...between, ...lines]
    })
  return made.join("\n").trim()
}
