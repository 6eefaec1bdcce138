/**
 * Moments that each reader sees in their own time zone, `<time:2017-06-05T22:30:00Z>`. A rule of markdown-it. A moment
 * is ISO 8601, seconds since 1970, or a date written in words; without a time zone it is UTC.
 */
import type { StateInline } from "markdown-it"
import { isInMonth, readIsoTime } from "../../../../iso-time.ts"

const less = 0x3c
const timeMarkup = /<time:([^<>\n]{1,100})>/y

const zone = /(?:Z|UTC|GMT|[ECMP][SD]T|[+-]\d{2}:?\d{2})\s*$/i
const month = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}"
const months = "janfebmaraprmayjunjulaugsepoctnovdec"
const clock =
  "(?:,?\\s*(?:at\\s+)?\\d{1,2}(?::\\d{2}){0,2}\\s*(?:[ap]m)?\\s*(?:Z|UTC|GMT|[ECMP][SD]T|[+-]\\d{2}:?\\d{2})?)?"
const weekday = "(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\\s+)?"
const inWords = new RegExp(
  `^${weekday}(?:(${month})\\.?\\s+(\\d{1,2}),?\\s+(\\d{4})|(\\d{1,2})\\s+(${month})\\.?,?\\s+(\\d{4}))${clock}$`,
  "i",
)

/** Milliseconds since 1970; NaN for what is no moment. */
const readMoment = (text: string): number => {
  const trimmed = text.trim()
  if (/^-?\d{1,12}(?:\.\d{1,9})?$/.test(trimmed)) return Number(trimmed) * 1000
  const stated = readIsoTime(trimmed)
  if (stated !== undefined) return stated
  const plain = trimmed.replace(/(\d)(?:st|nd|rd|th)\b/gi, "$1").replace(/\bat\s+/gi, "")
  const words = inWords.exec(plain)
  if (words === null) return Number.NaN
  const [name, day, year] = words[1] === undefined ? [words[5], words[4], words[6]] : words.slice(1)
  const number = months.indexOf((name ?? "").slice(0, 3).toLowerCase()) / 3 + 1
  if (!isInMonth(Number(year), number, Number(day))) return Number.NaN
  const spaced = plain.replace(/(\d)([ap]m)/i, "$1 $2").replace(/(^|\s)(\d{1,2}) ([ap]m)/i, "$1$2:00 $3")
  return Date.parse(zone.test(spaced) ? spaced : `${spaced} UTC`)
}

/** As the API writes a moment; undefined outside of the years 0001 to 9999. */
const writeMoment = (text: string): string | undefined => {
  const date = new Date(readMoment(text))
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) return undefined
  return date.toISOString().replace(/\.\d{3}Z$/, "Z")
}

export const moment = (state: StateInline): boolean => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== less) return false
  timeMarkup.lastIndex = pos
  const found = timeMarkup.exec(src)
  const text = found?.[1]
  if (found === null || text === undefined || pos + found[0].length > state.posMax) return false
  const datetime = writeMoment(text)
  const tag = datetime === undefined ? "span" : "time"
  const open = state.push("moment_open", tag, 1)
  open.attrs = [datetime === undefined ? ["class", "timestamp-error"] : ["datetime", datetime]]
  state.push("mention_text", "", 0).content = datetime === undefined ? `Invalid time format: ${text}` : text
  state.push("moment_close", tag, -1)
  state.pos += found[0].length
  return true
}
