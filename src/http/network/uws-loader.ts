/**
 * Chooses the build of uWebSockets.js that belongs to this Node; nothing else imports the package. The choice is by
 * version number alone: npm hoists the platform packages of both builds, and the newer one, tried on an older Node,
 * loads over the older one's binary. Called by uws.ts.
 */
import { createRequire } from "node:module"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export type * as Native from "uWebSockets.js"
export type Uws = typeof import("uWebSockets.js")

/** Both builds take all four arguments (seen to work in the older); only the newer one's types say so. */
declare module "uWebSockets.js" {
  interface TemplatedApp {
    listen(
      host: RecognizedString,
      port: number,
      options: ListenOptions,
      done: (socket: us_listen_socket | false) => void,
    ): TemplatedApp
  }
}

/** There is no network layer for this Node, C library or processor. */
export class PlatformUnsupported extends Data.TaggedError("PlatformUnsupported")<{ readonly message: string }> {}

/** The first Node that the older build has no binary for. */
const firstNodeOfNext = 24

/**
 * Bytes of a request's line and headers together. The package's own default of 4096 is less than a client needs that
 * sends a message's content in the query string. Twice what the server takes (request.ts), so that it can say so
 * itself: beyond this, and beyond some 96 headers, the binary answers 431 with a page of its own. The binary reads it
 * once, when it is loaded.
 */
const headerBytes = 128 * 1024

const require = createRequire(import.meta.url)

/** By `require`: where the binary is missing, `import` leaves an unhandled rejection behind as well (Node 20). */
const open = (): Uws => {
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(headerBytes)
  const major = Number.parseInt(process.versions.node, 10)
  return require(major >= firstNodeOfNext ? "uWebSockets.js-next" : "uWebSockets.js")
}

const firstLine = (fault: unknown): string =>
  String(fault instanceof Error ? fault.message : fault)
    .split("\n", 1)
    .join()

export const loadUws: Effect.Effect<Uws, PlatformUnsupported> = Effect.try({
  try: open,
  catch: (fault) =>
    new PlatformUnsupported({
      message: `No network layer for Node ${process.versions.node} on ${process.platform}-${process.arch}: ${firstLine(fault)}`,
    }),
})
