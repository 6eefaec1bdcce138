/**
 * A server of somebody else, for tests of what fetches from others: on this machine, but under names and by a network of
 * the test's own, because the real one refuses to connect to this machine.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Test } from "tap"
import { type OutboundNetworkShape, publicPorts } from "../../src/chat/ground/outbound/network.ts"
import { isPublicAddress } from "../../src/chat/ground/outbound/public-address.ts"

type Page = (request: IncomingMessage, response: ServerResponse) => void

export interface FarServer {
  /** `http://far.example:<port>` */
  readonly origin: string
  /** Connects to this server and to public addresses; knows `far.example` and the test's own names. */
  readonly network: OutboundNetworkShape
  /** The addresses of further names. */
  readonly names: Map<string, ReadonlyArray<string>>
  /** By path without its query; to be added to at any time. Others are answered 404. */
  readonly pages: Map<string, Page>
  /** The requests so far. */
  readonly asked: Array<IncomingMessage>
  /** Names that were resolved. */
  readonly resolved: Array<string>
  readonly close: () => Promise<void>
}

export const farServer = async (t: Test): Promise<FarServer> => {
  const pages = new Map<string, Page>()
  const asked: Array<IncomingMessage> = []
  const resolved: Array<string> = []
  const names = new Map<string, ReadonlyArray<string>>([["far.example", ["127.0.0.1"]]])
  const server = createServer((request, response) => {
    asked.push(request)
    response.on("error", () => {})
    const page = pages.get(request.url?.split("?")[0] ?? "")
    if (page === undefined) response.writeHead(404).end()
    else page(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  return {
    origin: `http://far.example:${port}`,
    network: {
      resolve: async (name) => {
        resolved.push(name)
        return names.get(name) ?? []
      },
      ports: new Set([...publicPorts, port]),
      mayConnect: (to, toPort) => (to === "127.0.0.1" && toPort === port) || isPublicAddress(to),
    },
    names,
    pages,
    asked,
    resolved,
    close,
  }
}
