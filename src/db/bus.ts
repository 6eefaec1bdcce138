/**
 * The bus between processes that serve one database together: it carries texts to the others, as well as it can. What it loses
 * is found by the tick (cluster.ts), so nothing waits for it. Made in postgres/notify-bus.ts and nats/nats-bus.ts.
 */

export interface OutgoingMessage {
  /** Number of the organization that it concerns; 0: all. */
  readonly realm: number
  readonly text: string
}

export interface Bus {
  /** Bytes that a message may carry, before they are sealed and written as base64. */
  readonly longest: () => number
  /** Sends to the other processes. Resolves with how many messages have left; the others are lost. Never rejects. */
  readonly publish: (messages: ReadonlyArray<OutgoingMessage>) => Promise<number>
  /** Hears of what concerns an organization from now on, until the answer is called; a bus may carry all of it anyway. */
  readonly subscribe: (realm: number) => () => void
  /** Calls the listener with what comes; a bus may give back what this process has sent. */
  readonly listen: (listener: (text: string) => void) => void
  /** Whether it is connected. */
  readonly isUp: () => boolean
}
