/** The program in this process, without its command line: with the configuration and the clock that it is given. */
import { channel } from "node:diagnostics_channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { type AppOptions, startApp } from "../app.ts"
import { OutboundNetwork, type OutboundNetworkShape, publicPorts } from "../chat/ground/outbound/network.ts"

/** The internet of a test: nothing is there. */
export const nothingThere: OutboundNetworkShape = {
  resolve: async () => [],
  mayConnect: () => false,
  ports: publicPorts,
}

export const networkOf = (network: OutboundNetworkShape = nothingThere): Layer.Layer<OutboundNetwork> =>
  Layer.succeed(OutboundNetwork, network)

/** Told of each start of a server, for those who count them. */
export const serverStarts = channel("parley.testing.start")

/** Starts a server; `stop` ends it without draining, and may be called again. What it would log is not shown. */
export const runApp = async (options: AppOptions) => {
  serverStarts.publish({})
  const scope = await Effect.runPromise(Scope.make())
  const silent = Effect.provide(startApp(options), Logger.layer([]))
  const app = await Effect.runPromise(Effect.provideService(silent, Scope.Scope, scope)).catch(
    async (error: unknown) => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      throw error
    },
  )
  return { app, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
export type RunningApp = Awaited<ReturnType<typeof runApp>>
