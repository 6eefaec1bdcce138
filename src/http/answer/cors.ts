/**
 * Which web pages may talk to this server: those of its own address and those that the configuration lists. Pages
 * sign in with an Authorization header that they set themselves, so cookies and credentials are never allowed.
 * Used by make-answers.ts for CORS and by socket-endpoint.ts, because browsers do not restrict WebSockets themselves.
 */
import type { ConfigShape } from "../../config/config.ts"

type AnswerHeader = readonly [name: string, value: string]

export interface AllowedOrigins {
  /** Whether a page of this origin may use the API. */
  readonly mayUse: (origin: string) => boolean
  /** Whether a WebSocket may be opened: also by a page of the same host, or by a client that is no browser. */
  readonly mayConnect: (origin: string, host: string) => boolean
}

/** A longer origin has no valid host, and takes long to parse: 10,000 characters of a foreign script 150 ms. */
const longestOrigin = 300

const parse = (url: string): URL | undefined =>
  url.length <= longestOrigin && URL.canParse(url) ? new URL(url) : undefined

/** Compared under the page's scheme, so that a default port may be written or left out. */
const isSameHost = (page: URL | undefined, host: string): boolean =>
  page !== undefined && page.host !== "" && parse(`${page.protocol}//${host}`)?.host === page.host

export const makeOrigins = (config: Pick<ConfigShape, "externalUrl" | "origins">): AllowedOrigins => {
  const own = config.externalUrl === null ? undefined : parse(config.externalUrl)?.origin
  const allowed = new Set([...config.origins, ...(own === undefined ? [] : [own])])
  const mayUse = (origin: string): boolean => allowed.has(origin)
  return {
    mayUse,
    mayConnect: (origin, host) => origin === "" || mayUse(origin) || isSameHost(parse(origin), host),
  }
}

const exposed = "Allow, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"

/** Headers of an answer to a page of `origin`, which may use the API. */
export const answerHeaders = (origin: string): ReadonlyArray<AnswerHeader> => [
  ["Access-Control-Allow-Origin", origin],
  ["Access-Control-Expose-Headers", exposed],
]

/** Headers of the answer to a preflight request of a page of `origin`; valid for ten minutes. */
export const preflightHeaders = (origin: string, allowed: ReadonlyArray<string>): ReadonlyArray<AnswerHeader> => [
  ["Access-Control-Allow-Origin", origin],
  ["Access-Control-Allow-Methods", allowed.join(", ")],
  ["Access-Control-Allow-Headers", "Authorization, Content-Type"],
  ["Access-Control-Max-Age", "600"],
]
