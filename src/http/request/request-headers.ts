/**
 * Reads a request's headers: the name of the client program, the host, and the server's address as the client sees it.
 * Header text is cleaned here, because it is stored. Used by server.ts, api.ts, socket-endpoint.ts and most other folders of http.
 */
import type { ConfigShape } from "../../config/config.ts"
import type { WireRequest } from "../network/uws.ts"

/** Bytes of a request's line and of the headers that are read: more is answered 431. */
export const mostHeaderBytes = 64 * 1024

/** A path or a header that is larger than any real client sends. Headers that are not read are not checked here. */
export const hasLargeHeaders = (request: WireRequest): boolean =>
  request.path.length +
    request.query.length +
    request.authorization.length +
    request.host.length +
    request.origin.length +
    request.userAgent.length +
    request.acceptEncoding.length +
    request.contentType.length +
    request.range.length +
    request.ifRange.length +
    request.ifNoneMatch.length +
    request.hookEvent.length +
    request.hookDelivery.length +
    request.forwarded.length >
  mostHeaderBytes

/** Characters of a client's name that are kept. */
const longestName = 64

/** Texts whose answers are remembered, and the longest of them: most requests come from few programs, to few hosts. */
const mostRemembered = 200
const longestRemembered = 200

/** A function of a header's text that remembers its answers. */
const remembering = <A>(make: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (text.length > longestRemembered) return made
    if (known.size >= mostRemembered) known.clear()
    known.set(text, made)
    return made
  }
}

/** Control characters (also NUL), lone surrogates and replacement characters. */
const unwanted = /[\p{Cc}\p{Cs}\uFFFD]/gu

/** The program's name in a User-Agent: the text before the first slash. */
export const clientName = remembering((userAgent: string): string => {
  const [token = ""] = userAgent.split(/[/(]/, 1)
  const name = token
    .slice(0, 4 * longestName)
    .replace(unwanted, "")
    .trim()
  return name === "" ? "Unspecified" : name.slice(0, longestName).trim()
})

const hostText = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** The Host header in lower case; undefined where it is not valid in a URL. */
export const readHost = remembering((header: string): string | undefined => {
  const host = header.toLowerCase()
  return host === "" || hostText.test(host) ? host : undefined
})

/** Without the port. */
export const hostName = remembering((host: string): string => host.replace(/:\d+$/, ""))

interface ServedOrigins {
  readonly config: ConfigShape
  readonly accounts: { readonly isOneOfSeveral: (host: string) => boolean }
}

/**
 * The address by which clients reach this server: the configured one, else the `host` of this request. Where the server has
 * several organizations, each has the configured address with its own host.
 */
export const originOf = ({ config, accounts }: ServedOrigins, host: string): string => {
  const { externalUrl } = config
  if (externalUrl === null) return `http://${host === "" ? `${config.host}:${config.port}` : host}`
  const name = hostName(host)
  if (!accounts.isOneOfSeveral(name)) return externalUrl
  const url = new URL(externalUrl)
  url.hostname = name
  return url.origin
}
