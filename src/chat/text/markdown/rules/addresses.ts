/**
 * Web addresses: where one begins and ends in plain text, which ones may be links, and how they are written. Every link
 * of the renderer goes through `readDestination` or `findAddresses`, so nothing else decides what an `href` may be.
 */
import { createRequire } from "node:module"
import * as Schema from "effect/Schema"

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

const trailing: ReadonlySet<string> = new Set(".,;:!?\"'*~")

/**
 * The end of an address that begins a run of non-space characters: before a closing parenthesis that was opened before
 * it, as in "(see https://example.com/a_(b))", and before the punctuation that ends the sentence or the emphasis that
 * it stands in.
 */
const endOfAddress = (run: string): number => {
  let depth = 0
  let end = 0
  for (; end < run.length; end++) {
    if (run[end] === "(") depth++
    else if (run[end] === ")" && --depth < 0) break
  }
  while (trailing.has(run[end - 1] ?? "")) end--
  return end
}

/** The address at the beginning of a run that begins with `http:` or `https:`; undefined if it is none. */
export const webAddressIn = (run: string): string | undefined => {
  const address = run.slice(0, endOfAddress(run))
  return /^https?:\/\/[^/\\?#]/i.test(address) && isWebAddress(address) ? address : undefined
}

export interface FoundAddress {
  readonly start: number
  readonly end: number
  readonly url: string
}

// A run is looked at once, whether it becomes a link or not, so that the time stays linear.
const run = /[^\s<>"`]+/g
const opening = /^[([{'*~|,;:]+/
const domainAtStart = new RegExp(`^(?:${label}\\.){1,20}${label}`, "iu")

const readRun = (text: string): { readonly length: number; readonly url: string } | undefined => {
  const length = endOfAddress(text)
  const found = text.slice(0, length)
  if (found.length > longestAddress) return undefined
  if (/^https?:/i.test(found)) return webAddressIn(found) === undefined ? undefined : { length, url: found }
  const mail = /^mailto:/i.test(found) ? found.slice("mailto:".length) : found
  if (mail.includes("@")) return isEmail(mail) ? { length, url: `mailto:${mail}` } : undefined
  const [host = ""] = domainAtStart.exec(found) ?? []
  const rest = found.slice(host.length)
  if (!isDomain(host) || !/^(?:$|[/?#]|:\d{1,5}(?:$|[/?#]))/.test(rest)) return undefined
  const url = `https://${found}`
  return isWebAddress(url) ? { length, url } : undefined
}

/** The addresses of sites and people in plain text, from left to right. */
export const findAddresses = (text: string): ReadonlyArray<FoundAddress> => {
  if (!text.includes(".")) return []
  const found: Array<FoundAddress> = []
  for (const { 0: whole, index } of text.matchAll(run)) {
    if (!whole.includes(".")) continue
    const start = opening.exec(whole)?.[0].length ?? 0
    const address = readRun(whole.slice(start))
    if (address === undefined) continue
    found.push({ start: index + start, end: index + start + address.length, url: address.url })
  }
  return found
}
