/** Bytes for the parsers of the network: HTTP, forms with files, frames of sockets, MessagePack. */
import { Packr } from "msgpackr/pack"
import type { Dice } from "../faults/kill/dice.ts"
import { clientFrame } from "../kit/socket-client.ts"
import { mutated, noise, size, text } from "./bytes.ts"
import { authorizationOf, bytesOf, encoded, type Input, type Scene } from "./input.ts"
import { anyJson, hardJson } from "./json-values.ts"
import { requestInput } from "./request-inputs.ts"

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", ""]
const paths = [
  "/",
  "/health",
  "/ready",
  "/metrics",
  "/outbox",
  "/api/docs",
  "/api/v1/messages",
  "/api/v1/events/ws?queue_id=x",
  "/user_uploads/1/ab/x.png",
  "/user_uploads/temporary/1/ab/x.png",
  "/user_uploads/thumbnail/1/ab/x.png/840x560.webp",
  "/external_content/0123456789abcdef/68747470",
  "/user_avatars/1/x.png",
  "/avatar/1",
  "/join/abc/",
  "/new/",
  "/accounts/password/reset/x",
  "/page/page-x.js",
  "http://example.org/api/v1/messages",
  "*",
]
const headerNames = [
  "Host",
  "Authorization",
  "Content-Length",
  "Transfer-Encoding",
  "Content-Type",
  "Expect",
  "Connection",
  "Upgrade",
  "Origin",
  "Range",
  "If-None-Match",
  "X-Forwarded-For",
  "Accept-Encoding",
  "Cookie",
  "Sec-WebSocket-Key",
  "Sec-WebSocket-Protocol",
]
const headerValues = [
  "",
  "0",
  "-1",
  "1e3",
  "18446744073709551616",
  "chunked",
  "gzip, chunked",
  "identity",
  "localhost",
  "100-continue",
  "close",
  "upgrade",
  "websocket",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="',
  "bytes=0-0,5-,-1",
  "*",
  "Basic Og==",
  "Basic %%%",
]

const odd = (dice: Dice, most: number): string =>
  dice.chance(0.7) ? dice.pick(headerValues) : text(dice, most).replace(/[\r\n]/g, "")

/** Cut where the network may cut it. */
const cut = (dice: Dice, bytes: Buffer): ReadonlyArray<Buffer> => {
  if (dice.chance(0.6) || bytes.length < 2) return [bytes]
  const at = 1 + dice.below(bytes.length - 1)
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

const chunkedBody = (dice: Dice): Buffer =>
  Buffer.concat([
    ...Array.from({ length: dice.below(5) }, () => {
      const body = noise(dice, 50)
      const length = dice.chance(0.8) ? body.length.toString(16) : odd(dice, 5)
      return Buffer.concat([Buffer.from(`${length}${dice.chance(0.1) ? ";x=y" : ""}\r\n`), body, Buffer.from("\r\n")])
    }),
    Buffer.from(dice.chance(0.7) ? "0\r\n\r\n" : "0\r\nX: y\r\n\r\n"),
  ])

/** What a request's line and headers may be, right or wrong. */
export const httpInput = (dice: Dice, scene: Scene): Input => {
  const kind = dice.below(6)
  if (kind === 0) return { kind: "bytes", what: "noise", chunks: [noise(dice, 4000)] }
  if (kind <= 2) {
    const right = requestInput(dice, scene)
    const bytes = right.kind === "request" ? right.bytes : Buffer.alloc(0)
    return { kind: "bytes", what: `nearly ${right.what}`, chunks: cut(dice, mutated(dice, bytes)) }
  }
  const headers: Array<readonly [string, string]> = dice.chance(0.9) ? [["Host", scene.host]] : []
  const count = dice.chance(0.03) ? size(dice, 200) : dice.below(6)
  for (let each = 0; each < count; each++) headers.push([dice.pick(headerNames), odd(dice, 40)])
  const isChunked = dice.chance(0.2)
  if (isChunked) headers.push(["Transfer-Encoding", "chunked"])
  const key = authorizationOf(scene, "member")
  if (dice.chance(0.4) && key !== undefined) headers.push(["Authorization", key])
  const path = dice.chance(0.8) ? dice.pick(paths) : `/${encoded(text(dice, 60))}`
  const body = isChunked ? undefined : dice.chance(0.4) ? noise(dice, 300) : undefined
  const one = bytesOf(dice.pick(methods), path, headers, body)
  const whole = isChunked ? Buffer.concat([one, chunkedBody(dice)]) : one
  const times = dice.chance(0.15) ? 1 + dice.below(20) : 1
  return {
    kind: "bytes",
    what: `a request to ${path.slice(0, 30)}`,
    chunks: cut(dice, Buffer.concat(Array.from({ length: times }, () => whole))),
  }
}

const uploads = ["/user_uploads", "/realm/emoji/fuzz", "/users/me/avatar", "/realm/icon", "/realm/logo"]
const magics = [
  "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
  "GIF89a",
  "\xff\xd8\xff\xe0",
  "RIFF\0\0\0\0WEBPVP8 ",
  "\0\0\0 ftypavif",
  "II*\0",
]

/** A form with a file, of which the frame or the file is wrong. */
export const uploadInput = (dice: Dice, scene: Scene): Input => {
  const boundary = dice.chance(0.9) ? "b" : "x".repeat(size(dice, 300)) || "b"
  const path = dice.pick(uploads)
  const part = () => {
    const name = dice.chance(0.8) ? "file" : encoded(text(dice, 5))
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${odd(dice, 20)}"\r\nContent-Type: ${dice.pick(["image/png", "text/plain", "x", ""])}\r\n\r\n`
    const file = dice.chance(0.5) ? Buffer.from(dice.pick(magics), "latin1") : Buffer.alloc(0)
    return Buffer.concat([Buffer.from(head), file, noise(dice, 2000), Buffer.from("\r\n")])
  }
  const count = dice.chance(0.05) ? size(dice, 200) : 1 + dice.below(3)
  const right = Buffer.concat([...Array.from({ length: count }, part), Buffer.from(`--${boundary}--\r\n`)])
  const body = dice.chance(0.5) ? mutated(dice, right) : right
  const headers = [
    ["Host", scene.host],
    ["Authorization", scene.keys.owner],
    ["Content-Type", `multipart/form-data; boundary=${boundary}`],
  ] as const
  return {
    kind: "request",
    what: `an upload to ${path}`,
    isHead: false,
    bytes: bytesOf("POST", `/api/v1${path}`, headers, body),
  }
}

const packr = new Packr({ useRecords: false })

/** Beginnings of values in MessagePack that claim to hold more than there is, and types that few readers know. */
const claims = [
  [0xdd, 0xff, 0xff, 0xff, 0xff],
  [0xdd, 0x01, 0xff, 0xff, 0xff],
  [0xdd, 0x00, 0x40, 0x00, 0x00],
  [0xdf, 0xff, 0xff, 0xff, 0xff],
  [0xdf, 0x00, 0x40, 0x00, 0x00],
  [0xdb, 0x7f, 0xff, 0xff, 0xff],
  [0xc6, 0x7f, 0xff, 0xff, 0xff],
  [0xc9, 0x7f, 0xff, 0xff, 0xff, 0x01],
  [0xdc, 0xff, 0xff],
  [0xc1],
  [0xd4, 0x72, 0x40],
  [0xd6, 0xff, 0x00, 0x00, 0x00, 0x00],
  [0xc7, 0x0c, 0xff],
  [0xd4, 0x00, 0x00],
  [0xd5, 0x69, 0x00, 0x00],
  [0xc7, 0x04, 0x65, 0x93, 0xa1, 0x61],
  [0xc7, 0x08, 0x74, 0x00],
  [0xc7, 0x06, 0x78, 0x92],
]

const packed = (dice: Dice): Buffer => {
  const kind = dice.below(5)
  if (kind === 0) return noise(dice, 4000)
  if (kind === 1) return Buffer.concat([Buffer.from(dice.pick(claims)), noise(dice, 40)])
  if (kind === 2) return Buffer.alloc(size(dice, 4000), dice.pick([0x91, 0x81, 0xc1, 0xdc, 0xdd, 0xc0]))
  const right = packr.pack(dice.chance(0.5) ? { ack: dice.below(1_000_000) } : anyJson(dice, 4))
  return kind === 3 ? right : mutated(dice, right)
}

const said = (dice: Dice): Buffer => {
  const kind = dice.below(6)
  if (kind === 0) return Buffer.from(JSON.stringify({ ack: anyJson(dice, 1) }))
  if (kind === 1) return Buffer.from(JSON.stringify({ auth: { email: text(dice, 20), api_key: anyJson(dice, 1) } }))
  if (kind === 2) return Buffer.from(hardJson(dice).slice(0, 5000))
  if (kind === 3) return noise(dice, 200)
  return Buffer.from(JSON.stringify(anyJson(dice, 3)))
}

const frame = (dice: Dice, isPacked: boolean): Buffer => {
  const payload = dice.chance(isPacked ? 0.9 : 0.1) ? packed(dice) : said(dice)
  const usual = isPacked ? 2 : 1
  const mask = Uint8Array.from({ length: 4 }, () => dice.below(256))
  const made = clientFrame(dice.chance(0.8) ? usual : dice.below(16), payload, dice.chance(0.9), mask)
  return dice.chance(0.15) ? mutated(dice, made) : made
}

/** Frames of a socket, signed in by its header or by its first frame. */
export const socketInput = (dice: Dice, scene: Scene): Input => {
  const isPacked = dice.chance(0.5)
  const frames = Array.from({ length: 1 + dice.below(6) }, () => frame(dice, isPacked))
  const chunks = dice.chance(0.3) ? frames.flatMap((each) => cut(dice, each)) : [Buffer.concat(frames)]
  const isSigned = dice.chance(0.7)
  const mayAck = `{"ack":${scene.queue.last}}`
  const first = isSigned || isPacked ? [] : [clientFrame(1, Buffer.from(mayAck), true, new Uint8Array(4))]
  return {
    kind: "socket",
    what: isPacked ? "frames of MessagePack" : "frames of JSON",
    protocol: isPacked ? "parley.v1.msgpack" : "parley.v1.json",
    isSigned,
    chunks: [...first, ...chunks],
  }
}
