/**
 * The time for which a server that ends serves on, and how it closes its port after it, so that nobody who asks by a proxy is
 * refused. Used by server.ts.
 */
import * as Effect from "effect/Effect"
import type { ClockShape } from "../clock.ts"
import type { PortListener } from "./network/uws.ts"

/** For so long what comes by connections that were there before the port was closed is served. */
const lateMs = 1000

export const leavePort = (
  clock: ClockShape,
  { stopListening }: Pick<PortListener, "stopListening">,
  seconds: number,
): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const close = () =>
      // Right after the loop has taken connections: one that waits to be taken when the port is closed is reset.
      setImmediate(() => {
        stopListening()
        timer = clock.after(lateMs, () => resume(Effect.void))
      })
    let timer = clock.after(seconds * 1000, close)
    return Effect.sync(() => timer.cancel())
  })
