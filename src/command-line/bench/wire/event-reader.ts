/**
 * The base of both kinds of readers: a connection each, and one read buffer for all of them. A reader must copy what it
 * keeps out of the buffer before `read` returns.
 */
import type { Socket } from "node:net"
import { connectTo, type ServerAddress } from "./server-address.ts"

export interface EventSink {
  /** Whether whole frames are also given to `onFrameText`. */
  readonly wantsText: boolean
  readonly onFrame: (id: number, bytes: number) => void
  readonly onFrameText: (text: string) => void
  /** Bytes of events as they come, in parts of any size. They are valid during the call only. */
  readonly onBytes?: (bytes: Uint8Array, from: number, to: number) => void
  readonly onClose: (why: string) => void
}

const shared = Buffer.allocUnsafeSlow(512 * 1024)

export abstract class EventReader {
  protected readonly sink: EventSink
  protected readonly socket: Socket

  /** `from`: the local address that the connection comes from. */
  constructor(place: ServerAddress, sink: EventSink, from: string | null = null) {
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
    this.socket.on("error", (error) => sink.onClose(error.message))
    this.socket.on("close", () => sink.onClose("closed"))
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
