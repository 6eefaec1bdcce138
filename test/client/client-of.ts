/** The client of `parley-server/client` as somebody of a test's server. */
import { WebSocket } from "undici"
import { Client, type ClientOptions } from "../../src/client/index.ts"
import type { Name, TestServer } from "../kit/with-server.ts"

const pauses = { firstMilliseconds: 10, mostMilliseconds: 100 }

/** `server`: another address, a proxy's for example. Node 20 has no WebSocket of its own. */
export const clientOf = (server: TestServer, name: Name, options: Partial<ClientOptions> = {}): Client => {
  const { email, key } = server.as(name).account
  return new Client({ server: server.origin, account: { email, apiKey: key }, WebSocket, pauses, ...options })
}
