/**
 * Web addresses: where one begins and ends in plain text, which ones may be links, and how they are written. Every link
 * of the renderer goes through `readDestination` or `findAddresses`, so nothing else decides what an `href` may be.
 */
import { createRequire } from "node:module"
import * as Schema from "effect/Schema"
import { endOfAddress, parting, withoutTrailing } from "../../characters/address-end.ts"
import { type BracketPairs, pairsIn } from "../../characters/brackets.ts"

const readList = Schema.decodeUnknownSync(Schema.Array(Schema.String))
/** The endings of files that are written far more often than the domains which end so. */
const fileEndings: ReadonlySet<string> = new Set(["java", "md", "mov", "pl", "ps", "py", "rs", "sh", "zip"])
const topLevels: ReadonlySet<string> = new Set(
  readList(createRequire(import.meta.url)("tlds")).filter((name) => !fileEndings.has(name)),
)

/** Schemes by which nothing is run in the reader's program. */
const schemes: ReadonlySet<string> = new Set(
  "http https ftp ftps geo irc ircs magnet mailto matrix news sftp sip sips sms ssh tel webcal xmpp".split(" "),
)

/** The most characters before the path: a longer name of a host does not exist, and 10,000 take 150 ms to check. */
const longestHost = 253
export const longestAddress = 2000

/** The host, with a user and a port if there are any. The check of an address skips any number of slashes before it. */
const hostPart = /^https?:[/\\]*([^/\\?#]*)/i

const isWebAddress = (text: string): boolean =>
  text.length <= longestAddress && (hostPart.exec(text)?.[1] ?? "").length <= longestHost && URL.canParse(text)

const label = "[a-z0-9\\p{L}\\p{N}](?:[a-z0-9\\p{L}\\p{N}-]{0,61}[a-z0-9\\p{L}\\p{N}])?"
const domain = new RegExp(`^(?:${label}\\.)+(${label})$`, "iu")

/** Whether it is a name of a host with a top-level domain that exists. */
const isDomain = (text: string): boolean => {
  if (text.length > longestHost) return false
  const top = domain.exec(text)?.[1]?.toLowerCase()
  return top !== undefined && (topLevels.has(top) || /^xn--/.test(top))
}

/** Links to the realm itself are made relative, so that clients open them in their own window. */
export const relativeTo = (address: string, host: string): string => {
  const [whole = "", at = ""] = /^https?:\/\/([^/?#\\]*)/i.exec(address) ?? []
  if (whole === "" || at.toLowerCase() !== host.toLowerCase()) return address
  const rest = address.slice(whole.length)
  // Two slashes would begin another host's name.
  return /^[/\\]{2}|^\/\\/.test(rest) ? address : rest.startsWith("/") ? rest : `/${rest}`
}

// Control characters and spaces, which browsers drop from the beginning and middle of a scheme.
const hidden = /[\0-\x20\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/
const scheme = /^([a-z][a-z0-9+.-]*):/i

/**
 * The `href` for what a message gives as the address of a link; undefined if it may not be one. Without a scheme it is a
 * place within this realm, a domain, or an e-mail address.
 */
export const readDestination = (text: string, host: string): string | undefined => {
  if (text === "" || text.length > longestAddress || hidden.test(text)) return undefined
  const given = scheme.exec(text)?.[1]?.toLowerCase()
  if (given === "http" || given === "https") return isWebAddress(text) ? relativeTo(text, host) : undefined
  if (/^[/#?]/.test(text)) return /^\/[/\\]/.test(text) ? undefined : text
  if (/^user_uploads\//.test(text)) return `/${text}`
  const [before = ""] = text.split(/[/?#:]/, 1)
  if (isDomain(before) && !text.includes("@")) {
    const address = `https://${text}`
    return isWebAddress(address) ? relativeTo(address, host) : undefined
  }
  if (given !== undefined) return schemes.has(given) ? text : undefined
  return isEmail(text) ? `mailto:${text}` : undefined
}

const localPart = /^[a-z0-9!#$%&'*+/=?^_{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_{|}~-]+)*$/i

const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  return at > 0 && at <= 64 && localPart.test(text.slice(0, at)) && isDomain(text.slice(at + 1))
}

/** Whether it is an address of the web that may be linked as it is. */
export const isLinked = (address: string): boolean => /^https?:\/\/[^/\\?#]/i.test(address) && isWebAddress(address)

export interface FoundAddress {
  readonly start: number
  readonly end: number
  readonly url: string
}

// A run is looked at once, whether it becomes a link or not, so that the time stays linear.
const run = /[^\s<>"`\u200b]+/g
/** In scripts without spaces several addresses may stand in a run. */
const parts = new RegExp(parting, "gv")
const opening = new RegExp(`(?:[\\(\\[\\{'*~\\|,;:]|${parting})+`, "vy")
const ofMail = "[a-z0-9!#$%&'*+/=?^_{|}~.-]{1,64}@"
const domainAtStart = new RegExp(`(?:${label}\\.){1,20}${label}`, "iuy")
const otherStart = new RegExp(`https?:|mailto:|${ofMail}`, "iy")

interface ReadAddress {
  /** Where the address ends, or how far was looked for it. */
  readonly end: number
  readonly url?: string
}

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}

/** Reads the address that begins at a place and ends before `limit`. */
const readAt = (text: string, start: number, limit: number, pairs: BracketPairs): ReadAddress => {
  const host = matchAt(domainAtStart, text, start)
  const isOther = matchAt(otherStart, text, start) !== ""
  if (host === "" && !isOther) return { end: start }
  const scheme = isOther ? matchAt(/https?:\/\//iy, text, start).length : 0
  const scanned = endOfAddress(text, start, limit, pairs, scheme)
  const whole = text.slice(start, scanned)
  const found = whole.slice(0, withoutTrailing(whole))
  const linked = (url: string): ReadAddress => ({ end: start + found.length, url })
  const none: ReadAddress = { end: scanned }
  if (found.length > longestAddress) return none
  if (/^https?:/i.test(found)) return isLinked(found) ? linked(found) : none
  const mail = /^mailto:/i.test(found) ? found.slice("mailto:".length) : found
  if (mail.includes("@")) return isEmail(mail) ? linked(`mailto:${mail}`) : none
  if (!isDomain(host) || !/^(?:$|[/?#]|:\d{1,5}(?:$|[/?#]))/.test(found.slice(host.length))) return none
  const url = `https://${found}`
  return isWebAddress(url) ? linked(url) : none
}

/** The addresses of sites and people in plain text, from left to right. */
export const findAddresses = (text: string): ReadonlyArray<FoundAddress> => {
  if (!text.includes(".")) return []
  const pairs = pairsIn(text)
  const found: Array<FoundAddress> = []
  for (const { 0: whole, index } of text.matchAll(run)) {
    if (!whole.includes(".")) continue
    for (let from = 0; from < whole.length; ) {
      const start = index + from + matchAt(opening, whole, from).length
      const { end, url } = readAt(text, start, index + whole.length, pairs)
      if (url !== undefined) found.push({ start, end, url })
      parts.lastIndex = end - index
      from = parts.test(whole) ? parts.lastIndex : whole.length
    }
  }
  return found
}
