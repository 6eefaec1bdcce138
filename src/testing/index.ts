/** `parley-server/testing`: whole servers in tests. docs/testing.md says how it is used. */

import type * as exported from "./exports.ts"
import type { ServerCore } from "./server-core.ts"
import { openEarly } from "./server-storage.ts"
import { RunningTestServer } from "./test-server.ts"
import type { ServerOptions, TestServer } from "./types.ts"

export type * from "./types.ts"

/** The program is loaded while a database opens in its own thread. */
const startCore = async (options: ServerOptions): Promise<ServerCore> => {
  if (options.process === "child") return (await import("./child-server.ts")).startChild(options)
  openEarly(options)
  return (await import("./local-server.ts")).startLocal(options)
}

export const startServer: typeof exported.startServer = async (options = {}): Promise<TestServer> =>
  new RunningTestServer(await startCore(options))

type Body<A> = (server: TestServer) => A | Promise<A>

export const withServer: typeof exported.withServer = async <A>(
  first: ServerOptions | Body<A>,
  second?: Body<A>,
): Promise<A> => {
  const [options, body] = typeof first === "function" ? [{}, first] : [first, second]
  if (body === undefined) throw new TypeError("withServer needs a function that is given the server")
  const server = await startServer(options)
  let answer: A
  try {
    answer = await body(server)
  } catch (error) {
    // The test's own error says more than what it has left.
    await server.close().catch(() => {})
    throw error
  }
  await server.close()
  return answer
}
