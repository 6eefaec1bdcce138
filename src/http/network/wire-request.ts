/**
 * A request's line and headers, copied from the native request, which lives only during its handler. One pass over all
 * headers, because only that shows a repeated or an empty one: `getHeader` gives the first of several, and the same
 * empty text for an empty header as for none. It costs as much as asking for each by its name. Made by uws.ts.
 */
import type { Native } from "./uws-loader.ts"

/** An absent header is empty. */
export interface WireRequest {
  /** As sent, usually in capitals. */
  readonly method: string
  /** Not decoded, without the query. */
  readonly path: string
  /** Not decoded, without the question mark. */
  readonly query: string
  readonly authorization: string
  readonly host: string
  readonly origin: string
  readonly userAgent: string
  /** All Accept-Encoding headers as one list. */
  readonly acceptEncoding: string
  /** Empty where there is no body. */
  readonly contentType: string
  readonly hasBody: boolean
  /** Bytes of the body; null where it has no length, or no valid one. */
  readonly contentLength: number | null
  readonly range: string
  readonly ifRange: string
  readonly ifNoneMatch: string
  /** The body comes in chunks, without a length. */
  readonly isChunked: boolean
  /** A proxy says that it passes this on, whether that is asked for or not. */
  readonly isProxied: boolean
  /** All X-Forwarded-For headers as one list; empty where none is asked for. */
  readonly forwarded: string
  /** What a web hook's sender calls the event, and its attempts to deliver it; empty in other requests. */
  readonly hookEvent: string
  readonly hookDelivery: string
  /** The client ends the connection with this request, or the network layer takes it so. */
  readonly isLast: boolean
  /** Why the request must be refused and its connection closed; empty where nothing is wrong. */
  readonly fault: string
}

const repeated = (name: string): string => `The request has more than one ${name} header`
const badLength = "The Content-Length header is not a number of bytes"
const badCoding = "Transfer-Encoding has only one value here: chunked"
const bothLengths = "The request has both a Content-Length and a Transfer-Encoding header"

/** 15 digits stay below 2^53. */
const wholeNumber = /^\d{1,15}$/

/**
 * The end of a body must be beyond doubt: where a proxy before this server and the server disagree, the rest of one
 * client's body is taken for the next client's request (request smuggling). The network layer takes the first of two
 * lengths, and any Transfer-Encoding for `chunked`.
 */
const framingFault = (length: string | undefined, coding: string | undefined): string => {
  if (coding === undefined) return length === undefined || wholeNumber.test(length) ? "" : badLength
  if (length !== undefined) return bothLengths
  return coding.toLowerCase() === "chunked" ? "" : badCoding
}

/** What clients say that send nothing more on a connection; the network layer looks at the length of the first such header alone. */
const closeWord = "close"
const saysClose = /(?:^|,)\s*close\s*(?:,|$)/i

const isLastBy = (before: boolean | undefined, value: string): boolean =>
  before === true ||
  (before === undefined && value.length === closeWord.length) ||
  (value !== "keep-alive" && saysClose.test(value))

/** What a pass over the headers has found so far; absent ones are undefined. */
interface Headers {
  authorization: string | undefined
  host: string | undefined
  origin: string | undefined
  userAgent: string | undefined
  acceptEncoding: string | undefined
  contentType: string | undefined
  length: string | undefined
  coding: string | undefined
  forwarded: string | undefined
  range: string | undefined
  ifRange: string | undefined
  ifNoneMatch: string | undefined
  isProxied: boolean
  hookEvent: string | undefined
  hookDelivery: string | undefined
  isLast: boolean | undefined
  fault: string
}

/** One for all requests, because a pass is over before the next begins: of its own each would leave 300 bytes of garbage. */
const found: Headers = {
  authorization: undefined,
  host: undefined,
  origin: undefined,
  userAgent: undefined,
  acceptEncoding: undefined,
  contentType: undefined,
  length: undefined,
  coding: undefined,
  forwarded: undefined,
  range: undefined,
  ifRange: undefined,
  ifNoneMatch: undefined,
  isProxied: false,
  hookEvent: undefined,
  hookDelivery: undefined,
  isLast: undefined,
  fault: "",
}

const forget = (): void => {
  found.authorization = undefined
  found.host = undefined
  found.origin = undefined
  found.userAgent = undefined
  found.acceptEncoding = undefined
  found.contentType = undefined
  found.length = undefined
  found.coding = undefined
  found.forwarded = undefined
  found.range = undefined
  found.ifRange = undefined
  found.ifNoneMatch = undefined
  found.isProxied = false
  found.hookEvent = undefined
  found.hookDelivery = undefined
  found.isLast = undefined
  found.fault = ""
}

const listed = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before},${value}`

const note = (name: string, value: string): void => {
  switch (name) {
    case "host":
      if (found.host !== undefined) found.fault = repeated("Host")
      found.host = value
      break
    case "authorization":
      if (found.authorization !== undefined) found.fault = repeated("Authorization")
      found.authorization = value
      break
    case "user-agent":
      found.userAgent ??= value
      break
    case "accept-encoding":
      found.acceptEncoding = listed(found.acceptEncoding, value)
      break
    case "content-type":
      if (found.contentType !== undefined) found.fault = repeated("Content-Type")
      found.contentType = value
      break
    case "content-length":
      if (found.length !== undefined) found.fault = repeated("Content-Length")
      found.length = value
      break
    case "transfer-encoding":
      if (found.coding !== undefined) found.fault = repeated("Transfer-Encoding")
      found.coding = value
      break
    case "connection":
      found.isLast = isLastBy(found.isLast, value)
      break
    case "origin":
      if (found.origin !== undefined) found.fault = repeated("Origin")
      found.origin = value
      break
    case "range":
      found.range = value
      break
    case "if-range":
      found.ifRange = value
      break
    case "if-none-match":
      found.ifNoneMatch = value
      break
    case "x-github-event":
    case "x-gitlab-event":
      found.hookEvent = value
      break
    case "x-github-delivery":
    case "idempotency-key":
      found.hookDelivery = value
      break
    case "forwarded":
    case "via":
    case "x-real-ip":
    case "x-forwarded-host":
    case "x-forwarded-proto":
      found.isProxied = true
      break
    case "x-forwarded-for":
      found.isProxied = true
      found.forwarded = listed(found.forwarded, value)
      break
  }
}

/** `readForwarded`: whether X-Forwarded-For is wanted. A proxy may add a line of its own below the client's. */
export const copyRequest = (native: Native.HttpRequest, method: string, readForwarded: boolean): WireRequest => {
  forget()
  native.forEach(note)
  const { length, coding, contentType, fault } = found
  const isChunked = coding !== undefined
  const hasBody = isChunked || (length !== undefined && length !== "0")
  return {
    method,
    path: native.getUrl(),
    query: native.getQuery() ?? "",
    authorization: found.authorization ?? "",
    host: found.host ?? "",
    origin: found.origin ?? "",
    userAgent: found.userAgent ?? "",
    acceptEncoding: found.acceptEncoding ?? "",
    contentType: hasBody && contentType !== undefined ? contentType : "",
    hasBody,
    contentLength: length !== undefined && wholeNumber.test(length) ? Number(length) : null,
    isChunked,
    range: found.range ?? "",
    ifRange: found.ifRange ?? "",
    ifNoneMatch: found.ifNoneMatch ?? "",
    isProxied: found.isProxied,
    hookEvent: found.hookEvent ?? "",
    hookDelivery: found.hookDelivery ?? "",
    isLast: found.isLast === true,
    forwarded: (readForwarded ? found.forwarded : undefined) ?? "",
    fault: fault === "" ? framingFault(length, coding) : fault,
  }
}

export const upgradeWithBody = "A request for a WebSocket has no body"

/** Headers that a request to become a WebSocket has besides. */
export interface UpgradeHeaders {
  readonly key: string
  readonly version: string
  /** The offered subprotocols as one list. */
  readonly protocols: string
  readonly extensions: string
  /** As in `WireRequest`, for these headers. */
  readonly fault: string
}

export const copyUpgrade = (native: Native.HttpRequest): UpgradeHeaders => {
  const protocols: Array<string> = []
  let [keys, versions] = [0, 0]
  native.forEach((name, value) => {
    if (name === "sec-websocket-protocol") protocols.push(value)
    if (name === "sec-websocket-key") keys += 1
    if (name === "sec-websocket-version") versions += 1
  })
  return {
    key: native.getHeader("sec-websocket-key"),
    version: native.getHeader("sec-websocket-version"),
    protocols: protocols.join(","),
    extensions: native.getHeader("sec-websocket-extensions"),
    fault: keys > 1 ? repeated("Sec-WebSocket-Key") : versions > 1 ? repeated("Sec-WebSocket-Version") : "",
  }
}
