/** `parley/testing`: whole servers in tests. docs/testing.md says how it is used. */
import { startChild } from "./child-server.ts"
import { startLocal } from "./local-server.ts"
import { Server } from "./test-server.ts"
import type { ServerOptions, StartServer, TestServer, WithServer } from "./types.ts"

export type * from "./types.ts"

export const startServer: StartServer = async (options = {}): Promise<TestServer> =>
  new Server(await (options.process === "child" ? startChild(options) : startLocal(options)))

type Body<A> = (server: TestServer) => A | Promise<A>

export const withServer: WithServer = async <A>(first: ServerOptions | Body<A>, second?: Body<A>): Promise<A> => {
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
