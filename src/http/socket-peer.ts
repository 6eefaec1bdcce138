/**
 * The two sides of an event queue's WebSocket: what its owner may do with the connection (SocketPeer) and what the
 * owner hears of it (SocketHandlers). The connection knows nothing of queues. Made by socket-session.ts.
 */
import { type CloseReason, closeReasons, closeText } from "./close-reasons.ts"
import type { WireSocket } from "./uws-socket.ts"

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

/** A peer that can tell whether a drain ends its stall. */
export interface DrainingPeer extends SocketPeer {
  /** True once after a stall, when enough has left. */
  readonly recovered: () => boolean
}

export const makePeer = (socket: WireSocket, limitBytes: number): DrainingPeer => {
  let stalled = false
  const close: SocketPeer["close"] = (reason, detail) => socket.end(reason.code, closeText(reason, detail))
  return {
    close,
    buffered: () => socket.buffered(),
    send: (frame) => {
      if (!socket.open) return "closed"
      if (!socket.sendText(frame)) {
        // The owner went on far past `stalled`; a lost frame must not stay unseen.
        close(closeReasons.slowReader)
        return "closed"
      }
      if (socket.buffered() <= limitBytes) return "sent"
      stalled = true
      return "stalled"
    },
    recovered: () => {
      if (!stalled || 2 * socket.buffered() > limitBytes) return false
      stalled = false
      return true
    },
  }
}
