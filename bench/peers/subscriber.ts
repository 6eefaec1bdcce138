/** How a subscriber of each server opens its WebSocket, and what it says before events come. */
import { NumberScanner } from "../../src/command-line/bench/wire/number-scanner.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"
import { SocketReader } from "../../src/command-line/bench/wire/socket-reader.ts"

interface Manner {
  readonly path: string
  /** Said when the socket is open; null: nothing, and it is subscribed then. */
  readonly hello: string | null
  /** What is said to a short message of the server. */
  readonly answer: (text: string) => string | null
  /** The message that says that it is subscribed begins with this. */
  readonly ready: string
  readonly form: "text" | "binary"
}

const plain: Manner = { path: "/", hello: null, answer: () => null, ready: "", form: "text" }

export const manners = {
  ws: plain,
  bare: { ...plain, path: "/events/ws" },
  parley: plain,
  "socket.io": {
    path: "/socket.io/?EIO=4&transport=websocket",
    hello: "40",
    answer: (text) => (text === "2" ? "3" : null),
    ready: "40",
    form: "text",
  },
  nats: {
    path: "/",
    hello: 'CONNECT {"verbose":false}\r\nSUB bench 1\r\nPING\r\n',
    answer: (text) => (text === "PING\r\n" ? "PONG\r\n" : null),
    ready: "PONG",
    form: "binary",
  },
} satisfies Record<string, Manner>
export type Kind = keyof typeof manners

/** Longer messages are events. */
const shortBytes = 200

export interface SubscriberOptions {
  readonly kind: Kind
  readonly port: number
  /** In place of the kind's own. */
  readonly path?: string
  readonly headers?: ReadonlyArray<string>
  readonly mark: string
  readonly onNumber: (number: number) => void
  readonly onFault: (why: string) => void
}

/** Resolves when it is subscribed. */
export const subscribe = (options: SubscriberOptions): Promise<SocketReader> =>
  new Promise((resolve, reject) => {
    const { kind, port, headers = [], mark, onNumber, onFault } = options
    const { hello, answer, ready, form, path }: Manner = manners[kind]
    const scanner = new NumberScanner(Buffer.from(mark), onNumber)
    const listen = (bytes: Uint8Array, from: number, to: number) => {
      if (hello !== null && to - from < shortBytes) {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1")
        if (text.startsWith(ready)) resolve(reader)
        const said = answer(text)
        if (said !== null) reader.send(said, form)
      }
      scanner.piece(bytes, from, to)
    }
    const sink = {
      wantsText: false,
      onFrame: () => {},
      onFrameText: () => {},
      onBytes: listen,
      onClose: (why: string) => {
        onFault(why)
        reject(new Error(why))
      },
    }
    const opened = () => {
      if (hello === null) resolve(reader)
      else reader.send(hello, form)
    }
    const reader: SocketReader = new SocketReader(loopback(port), options.path ?? path, headers, sink, opened)
  })
