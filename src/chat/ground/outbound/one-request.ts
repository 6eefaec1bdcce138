/**
 * One request to an address that was checked: Node's own client, which can be told the addresses to connect to. It connects
 * to these and asks no name server again, so a name cannot mean another machine after the check (DNS rebinding). Sends
 * no cookies, no credentials and no Referer, and follows no redirect.
 */
import http, { type RequestOptions } from "node:http"
import https from "node:https"
import { connect, isIP, isIPv6, type LookupFunction } from "node:net"
import { connect as connectSafely } from "node:tls"
import { PacedConnection } from "./paced-connection.ts"
import { acceptedEncodings, type OutboundResponse } from "./response-body.ts"

const mostHeaderBytes = 16 * 1024
/** Answers before the answer, such as early hints. */
const mostInformation = 4

const lookupOf =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_host, options, done) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    const [first = { address: "", family: 4 }] = found
    if (options.all === true) done(null, found)
    else done(null, first.address, first.family)
  }

/** Name the program, not its version or its host: neither is a stranger's business. */
const reader = "Parley (previews of links in a chat)"
const caller = "Parley (outgoing webhooks of a chat)"

export interface PostBody {
  readonly contentType: string
  readonly body: string
}

/** `post`: undefined: it is a GET. */
export interface OutboundRequestOptions {
  readonly accept: string
  readonly post: PostBody | undefined
}

const headersOf = ({ accept, post }: OutboundRequestOptions): Record<string, string> => ({
  "User-Agent": post === undefined ? reader : caller,
  Accept: accept,
  "Accept-Encoding": acceptedEncodings,
  ...(post === undefined
    ? {}
    : { "Content-Type": post.contentType, "Content-Length": String(Buffer.byteLength(post.body)) }),
})

/** Fails if `signal` ends before the head has come. */
export const askOnce = (
  url: URL,
  addresses: ReadonlyArray<string>,
  wish: OutboundRequestOptions,
  signal: AbortSignal,
): Promise<OutboundResponse> =>
  new Promise((resolve, reject) => {
    const isSafe = url.protocol === "https:"
    const defaultPort = isSafe ? 443 : 80
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    const port = url.port === "" ? defaultPort : Number(url.port)
    const connection = new PacedConnection(connect({ host, port, lookup: lookupOf(addresses) }))
    const options: RequestOptions = {
      method: wish.post === undefined ? "GET" : "POST",
      protocol: url.protocol,
      hostname: host,
      port,
      defaultPort,
      path: `${url.pathname}${url.search}`,
      headers: headersOf(wish),
      // A connection of its own, that ends with the answer.
      createConnection: () =>
        isSafe ? connectSafely({ socket: connection, host, servername: isIP(host) === 0 ? host : "" }) : connection,
      maxHeaderSize: mostHeaderBytes,
      insecureHTTPParser: false,
      signal,
    }
    const request = isSafe ? https.request(options) : http.request(options)
    let information = 0
    request.on("information", () => {
      information += 1
      if (information > mostInformation) request.destroy(new Error("too many answers before the answer"))
    })
    request.on("response", (message) => resolve({ message, received: () => connection.received }))
    request.on("upgrade", (_answer, socket) => {
      socket.destroy()
      reject(new Error("the connection was to become another one"))
    })
    request.on("error", reject)
    request.end(wish.post?.body)
  })
