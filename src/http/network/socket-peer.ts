/**
 * The two sides of an event queue's WebSocket: the calls that its owner may make (SocketPeer, implemented by
 * uws-socket.ts) and the calls that the owner gets (SocketHandlers, implemented by queue-socket.ts).
 */
import type { CloseReason } from "./close-reasons.ts"

export interface SocketPeer {
  /**
   * Sends one frame, of text or binary. `stalled`: accepted, but more than the limit is unsent now; go on after `onDrain`.
   * `closed`: not accepted.
   */
  readonly send: (frame: Uint8Array, isBinary?: boolean) => "sent" | "stalled" | "closed"
  /** Bytes accepted and not sent yet. */
  readonly buffered: () => number
  /** Ends the connection. */
  readonly close: (reason: CloseReason, detail?: string) => void
}

export interface SocketHandlers {
  /** What a frame said, in the form of the connection. */
  readonly onMessage: (message: unknown) => void
  /** After `stalled`: less than half of the limit is unsent again. */
  readonly onDrain: () => void
  /** Called once, by whichever side the connection was ended, as the last call; never within `send` or `close`. */
  readonly onClose: () => void
}

/** Hands a connection over to its owner, in the turn in which it is ready. */
export type AttachSocket = (peer: SocketPeer) => SocketHandlers
