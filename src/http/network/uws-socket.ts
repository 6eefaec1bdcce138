/**
 * One WebSocket connection. The native object must not be used after its close event: this object remembers the event,
 * and calls after it have no effect. There are tens of thousands of connections, each used for each event, so each is
 * one small object: apart from the system call, the cost of a send is mostly cache misses.
 * Made by uws.ts, used by socket-session.ts and queue-socket.ts.
 */
import { type CloseReason, closeCounts, closeReasons, closeText } from "./close-reasons.ts"
import type { SocketPeer } from "./socket-peer.ts"
import type { Native } from "./uws-loader.ts"

/** Events of a connection for its session. `onClose` comes exactly once, as the last. */
export interface SocketEvents {
  /** The bytes are valid only within the call. */
  readonly onFrame: (frame: ArrayBuffer, isBinary: boolean) => void
  /** Some of the unsent bytes have been sent. */
  readonly onDrain: () => void
  readonly onClose: () => void
}

/** Called when the connection is open. */
export type OnSocketOpen = (socket: WireSocket) => SocketEvents

/** The user data of a native socket: it copies every field, so there is only one. */
export interface SocketUserData {
  readonly socket: WireSocket
}

export class WireSocket implements SocketPeer {
  #onOpen: OnSocketOpen | null
  #native: Native.WebSocket<SocketUserData> | null = null
  #events: SocketEvents | null = null
  readonly #limitBytes: number
  #stalled = false

  /** `limitBytes`: unsent bytes above which the connection counts as stalled. */
  constructor(onOpen: OnSocketOpen, limitBytes: number) {
    this.#onOpen = onOpen
    this.#limitBytes = limitBytes
  }

  get open(): boolean {
    return this.#native !== null
  }
  get events(): SocketEvents | null {
    return this.#events
  }

  /** The native side has opened, and the upgrade is over. */
  handleOpen(native: Native.WebSocket<SocketUserData>): void {
    const onOpen = this.#onOpen
    this.#onOpen = null
    // It may have closed first.
    if (onOpen === null) return
    this.#native = native
    const events = onOpen(this)
    // If the onOpen closed its socket at once, the close event is over, and the session gets it here.
    if (this.open) this.#events = events
    else events.onClose()
  }

  /** The native side has closed. */
  handleClose(): void {
    this.#onOpen = null
    this.#native = null
    const events = this.#events
    this.#events = null
    events?.onClose()
  }

  send(frame: Uint8Array, isBinary = false): "sent" | "stalled" | "closed" {
    const native = this.#native
    if (native === null) return "closed"
    // 1: all of it is sent. 0: some is unsent. 2: dropped, because the bound on unsent bytes is exceeded.
    const outcome = native.send(frame, isBinary)
    if (outcome === 1) return "sent"
    if (outcome === 2) {
      // The owner went on far past `stalled`; a lost frame must not stay unseen.
      this.close(closeReasons.slowReader)
      return "closed"
    }
    if (native.getBufferedAmount() <= this.#limitBytes) return "sent"
    this.#stalled = true
    return "stalled"
  }

  /** True once after a stall, when enough has left. */
  recovered(): boolean {
    if (!this.#stalled || 2 * this.buffered() > this.#limitBytes) return false
    this.#stalled = false
    return true
  }

  buffered(): number {
    return this.#native?.getBufferedAmount() ?? 0
  }

  /** Closes with the reason's code and text. The close event comes before it returns. */
  close(reason: CloseReason, detail?: string): void {
    if (this.#native === null) return
    closeCounts.set(reason.text, (closeCounts.get(reason.text) ?? 0) + 1)
    this.#native.end(reason.code, closeText(reason, detail))
  }

  /** Closes without a close frame; the close event comes before it returns. */
  terminate(): void {
    this.#native?.close()
  }
}
