/**
 * The base of both kinds of readers: a connection each, and one read buffer for all of them. A reader must copy what it
 * keeps out of the buffer before `read` returns.
 */
import type { Socket } from "node:net"
import { connectTo, type Place } from "./place.ts"

export interface Sink {
  /** Whether whole frames are also given to `whole`. */
  readonly scout: boolean
  readonly frame: (id: number, bytes: number) => void
  readonly whole: (text: string) => void
  /** Bytes of events as they come, in parts of any size. They are valid during the call only. */
  readonly piece?: (bytes: Uint8Array, from: number, to: number) => void
  readonly lost: (why: string) => void
}

const shared = Buffer.allocUnsafeSlow(512 * 1024)

export abstract class Reader {
  protected readonly sink: Sink
  protected readonly socket: Socket

  /** `from`: the local address that the connection comes from. */
  constructor(place: Place, sink: Sink, from: string | null = null) {
    this.sink = sink
    this.socket = connectTo(place, {
      from,
      onread: {
        buffer: shared,
        callback: (length, buffer) => {
          this.read(buffer, length)
          return true
        },
      },
    })
    this.socket.on("error", (error) => sink.lost(error.message))
    this.socket.on("close", () => sink.lost("closed"))
  }

  /** Stops reading for good: the server's buffers fill up. */
  stall(): void {
    this.socket.pause()
  }

  close(): void {
    this.socket.removeAllListeners("close")
    this.socket.destroy()
  }

  /** The first `length` bytes are new. */
  protected abstract read(bytes: Uint8Array, length: number): void
}
