/**
 * The two sides of an event queue's WebSocket: what its owner may do with the connection (SocketPeer) and what the
 * owner hears of it (SocketHandlers). The connection knows nothing of queues. uws-socket.ts is the first, whoever owns
 * the connection is the second.
 */
import type { CloseReason } from "./close-reasons.ts"

export interface SocketPeer {
  /**
   * Sends one text frame. `stalled`: taken, but the connection owes more than its limit now; `onDrain` says when to
   * go on. `closed`: not taken.
   */
  readonly send: (frame: Uint8Array) => "sent" | "stalled" | "closed"
  /** Bytes taken and not sent yet. */
  readonly buffered: () => number
  /** Ends the connection. */
  readonly close: (reason: CloseReason, detail?: string) => void
}

export interface SocketHandlers {
  readonly onMessage: (text: string) => void
  /** After `stalled`: the connection owes less than half of its limit again. */
  readonly onDrain: () => void
  /** Comes once, whoever ended the connection, never within `send` or `close`; no other call comes after it. */
  readonly onClose: () => void
}

/** Hands a connection over to its owner, in the turn in which it is ready. */
export type Attach = (peer: SocketPeer) => SocketHandlers
