/** The host of a queue of a test, in place of its realm: no limit that a test reaches, and nobody who acts for it. */
import { EventChain } from "../../src/events/event-chain.ts"
import type { QueueHost } from "../../src/events/queue.ts"

/** `own`: what the test watches or answers by itself. */
export const queueHost = (own: Partial<QueueHost> = {}): QueueHost => {
  const root = EventChain.root()
  return {
    root: () => root,
    pendingEvents: 1000,
    pendingBytes: 1_000_000,
    wake: () => {},
    read: () => {},
    turnedLive: () => {},
    fellBehind: () => {},
    ...own,
  }
}
