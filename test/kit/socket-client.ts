/**
 * A WebSocket client on a bare TCP socket, for tests: it can stop reading, send what no well-behaved client sends,
 * and vanish. Frames from the server are checked while they are parsed. Used by the tests of sockets and delivery.
 */
import { createHash, randomBytes } from "node:crypto"
import { connect as connectTcp, type Socket } from "node:net"
import { Packr } from "msgpackr/pack"
import { Unpackr } from "msgpackr/unpack"
import type { FrameForm } from "../../src/client/index.ts"

export interface SocketTarget {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocol?: string
}

/** The server's answer instead of 101. */
export class UpgradeRefused extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    super(`The upgrade was refused with ${status}: ${body}`)
    this.status = status
    this.body = body
  }
}

/** 1006 and an empty reason where the connection ended without a close frame. */
export interface SocketClosed {
  readonly code: number
  readonly reason: string
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

const acceptKey = (key: string): string =>
  createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")

/** A masked frame, as clients must send them. `mask`: four bytes. */
export const clientFrame = (
  opcode: number,
  payload: Uint8Array,
  final = true,
  mask: Uint8Array = randomBytes(4),
): Buffer => {
  const size = payload.length
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10)
  head[0] = (final ? 0x80 : 0) | opcode
  head[1] = 0x80 | (size < 126 ? size : size < 65_536 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(size, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2)
  const masked = Buffer.from(payload)
  for (let at = 0; at < size; at += 1) masked[at] = (masked[at] ?? 0) ^ (mask[at % 4] ?? 0)
  return Buffer.concat([head, mask, masked])
}

interface Frame {
  readonly opcode: number
  readonly payload: Buffer
  readonly rest: Buffer
}

/** The first whole frame in the received bytes, if there is one. The server sends neither masks nor fragments. */
const readFrame = (bytes: Buffer): Frame | undefined => {
  if (bytes.length < 2) return undefined
  const first = bytes.readUInt8(0)
  const short = bytes.readUInt8(1)
  if ((first & 0x80) === 0 || (short & 0x80) !== 0) throw new Error("The server sent a fragment or a masked frame")
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return undefined
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < head + size) return undefined
  return { opcode: first & 0x0f, payload: bytes.subarray(head, head + size), rest: bytes.subarray(head + size) }
}

export const packedProtocol = "parley.v1.msgpack"
const unpackr = new Unpackr({ useRecords: false, int64AsType: "number" })
const packr = new Packr({ useRecords: false })

/** That subprotocol for the client for programs. */
export const packedFrames: FrameForm = {
  subprotocol: packedProtocol,
  read: (data) => (data instanceof ArrayBuffer ? unpackr.unpack(new Uint8Array(data)) : undefined),
  write: (value) => new Uint8Array(packr.pack(value)),
}

interface Waiter {
  readonly resolve: (text: string) => void
  readonly reject: (fault: Error) => void
}

export class SocketClient {
  readonly #tcp: Socket
  #bytes: Buffer
  #closing: SocketClosed | undefined
  readonly #texts: Array<string> = []
  readonly #waiters: Array<Waiter> = []
  /** Subprotocol that the server chose; empty where it chose none. */
  readonly protocol: string
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<SocketClosed>

  constructor(tcp: Socket, protocol: string, rest: Buffer) {
    this.#tcp = tcp
    this.protocol = protocol
    this.#bytes = rest
    this.closed = new Promise((resolve) => {
      tcp.once("close", () => {
        const closed = this.#closing ?? { code: 1006, reason: "" }
        for (const { reject } of this.#waiters.splice(0)) reject(new Error(`Closed: ${closed.code} ${closed.reason}`))
        resolve(closed)
      })
    })
    tcp.on("data", (chunk) => {
      this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
      this.#parse()
    })
    this.#parse()
  }

  #parse(): void {
    for (let frame = readFrame(this.#bytes); frame !== undefined; frame = readFrame(this.#bytes)) {
      this.#bytes = frame.rest
      if (frame.opcode === opcodes.text || frame.opcode === opcodes.binary) {
        const isBinary = frame.opcode === opcodes.binary
        if (isBinary !== (this.protocol === packedProtocol)) throw new Error("A frame of another subprotocol")
        const text = isBinary ? JSON.stringify(unpackr.unpack(frame.payload)) : frame.payload.toString("utf8")
        const waiter = this.#waiters.shift()
        if (waiter === undefined) this.#texts.push(text)
        else waiter.resolve(text)
      } else if (frame.opcode === opcodes.ping) {
        this.raw(clientFrame(opcodes.pong, frame.payload))
      } else if (frame.opcode === opcodes.close) {
        this.#closing = {
          code: frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE(0),
          reason: frame.payload.subarray(2).toString("utf8"),
        }
        this.#tcp.end()
      }
    }
  }

  send(text: string): void {
    this.raw(clientFrame(opcodes.text, Buffer.from(text)))
  }

  /** A message in the form of the subprotocol. */
  say(message: object): void {
    if (this.protocol === packedProtocol) this.raw(clientFrame(opcodes.binary, packr.pack(message)))
    else this.send(JSON.stringify(message))
  }

  /** Any bytes at all. */
  raw(bytes: Uint8Array): void {
    this.#tcp.write(bytes)
  }

  /** What the next frame says, as JSON, in order; rejects when the connection ends before it. */
  next(): Promise<string> {
    const text = this.#texts.shift()
    if (text !== undefined) return Promise.resolve(text)
    if (this.#tcp.destroyed) return Promise.reject(new Error("The connection has ended"))
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
    })
  }

  close(code = 1000, reason = ""): void {
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
    payload.writeUInt16BE(code, 0)
    payload.write(reason, 2)
    this.raw(clientFrame(opcodes.close, payload))
  }

  /** Stops reading: the server's bytes pile up. */
  pause(): void {
    this.#tcp.pause()
  }

  resume(): void {
    this.#tcp.resume()
  }

  /** Destroys the connection without a close frame. */
  destroy(): void {
    this.#tcp.destroy()
  }
}

const requestText = (target: SocketTarget, key: string): string =>
  [
    `GET ${target.path} HTTP/1.1`,
    ...Object.entries({
      Host: `127.0.0.1:${target.port}`,
      Upgrade: "websocket",
      Connection: "Upgrade",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": key,
      ...(target.protocol === undefined ? {} : { "Sec-WebSocket-Protocol": target.protocol }),
      ...target.headers,
    }).map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n")

/** Connects; rejects with UpgradeRefused where the server answers anything but 101. */
export const connect = (target: SocketTarget): Promise<SocketClient> =>
  new Promise((resolve, reject) => {
    const key = randomBytes(16).toString("base64")
    const tcp = connectTcp(target.port, "127.0.0.1")
    let bytes = Buffer.alloc(0)
    const header = (head: string, name: string): string =>
      new RegExp(`^${name}: *(.*)$`, "im").exec(head)?.[1]?.trim() ?? ""
    const fail = (fault: Error): void => {
      tcp.destroy()
      reject(fault)
    }
    const onEarlyClose = (): void => fail(new Error("The connection ended before the upgrade was answered"))
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const end = bytes.indexOf("\r\n\r\n")
      if (end < 0) return
      const head = bytes.toString("latin1", 0, end)
      const rest = bytes.subarray(end + 4)
      const status = Number(head.slice(9, 12))
      if (status !== 101) {
        const size = Number(header(head, "content-length"))
        if (rest.length < size) return
        fail(new UpgradeRefused(status, rest.toString("utf8", 0, size)))
        return
      }
      tcp.off("data", onData)
      tcp.off("close", onEarlyClose)
      if (header(head, "sec-websocket-accept") === acceptKey(key)) {
        resolve(new SocketClient(tcp, header(head, "sec-websocket-protocol"), rest))
      } else {
        fail(new Error("The server did not prove that it speaks WebSocket"))
      }
    }
    // A reset is an end like any other; the close event follows it.
    tcp.on("error", () => {})
    tcp.on("data", onData)
    tcp.on("close", onEarlyClose)
    tcp.write(requestText(target, key))
  })
