/**
 * One WebSocket connection. As with an answer, the native object is dead after its close event: this one knows when
 * that was, and nothing called on it afterwards has an effect. Made by uws.ts, used by socket.ts.
 */
import type { Native } from "./uws-loader.ts"

/** What a connection tells its owner. Nothing comes after `onClose`, which comes exactly once. */
export interface SocketEvents {
  readonly onText: (text: string, bytes: number) => void
  readonly onBinary: () => void
  /** Some of what was owed has left. */
  readonly onDrain: () => void
  readonly onClose: () => void
}

/** Whoever waits for the connection: called when it is open. */
export type Seat = (socket: WireSocket) => SocketEvents

export class WireSocket {
  readonly #native: Native.WebSocket<SocketPlace>
  #open = true

  constructor(native: Native.WebSocket<SocketPlace>) {
    this.#native = native
  }

  get open(): boolean {
    return this.#open
  }

  /** False if the frame could not be taken. */
  sendText(frame: Uint8Array): boolean {
    // 2 is "dropped": past the bound on what a connection may owe.
    return this.#open && this.#native.send(frame, false) !== 2
  }

  /** Bytes accepted and not sent yet. */
  buffered(): number {
    return this.#open ? this.#native.getBufferedAmount() : 0
  }

  /** Says goodbye with this code and text. The close event comes before it returns. */
  end(code: number, text: string): void {
    if (this.#open) this.#native.end(code, text)
  }

  /** Closes without a goodbye; the close event comes before it returns. */
  cut(): void {
    if (this.#open) this.#native.close()
  }

  /** The native side has closed. */
  closed(): void {
    this.#open = false
  }
}

/** What the native side keeps for a connection. */
export interface SocketPlace {
  readonly seat: Seat
  socket: WireSocket | undefined
  events: SocketEvents | undefined
}
