/** What is sent to the server under test. Each input is made of the seed and its number alone, so that it can be made again. */

/** What inputs need of the server that they are for: ids that exist, and who may ask. */
export interface Scene {
  /** Authorization headers, by whose they are. */
  readonly keys: Readonly<Record<"owner" | "member" | "guest" | "bot", string>>
  readonly host: string
  readonly channels: ReadonlyArray<number>
  readonly users: ReadonlyArray<number>
  readonly messages: ReadonlyArray<number>
  readonly queue: { readonly id: string; readonly last: number }
  readonly emails: ReadonlyArray<string>
}

export type Input =
  /** A whole request, which is answered. */
  | { readonly kind: "request"; readonly what: string; readonly bytes: Buffer; readonly isHead: boolean }
  /** Bytes on a connection of their own, written one after the other. */
  | { readonly kind: "bytes"; readonly what: string; readonly chunks: ReadonlyArray<Buffer> }
  /** A socket of the queue, and what is written to it. */
  | {
      readonly kind: "socket"
      readonly what: string
      readonly protocol: string
      readonly isSigned: boolean
      readonly chunks: ReadonlyArray<Buffer>
    }

export type Who = keyof Scene["keys"] | "nobody" | "wrong"

export const authorizationOf = ({ keys }: Scene, who: Who): string | undefined =>
  who === "nobody"
    ? undefined
    : who === "wrong"
      ? `Basic ${Buffer.from(`owner@demo.example:${"k".repeat(32)}`).toString("base64")}`
      : keys[who]

/** The bytes of a request; a body gets its length. Header values may hold anything but line ends. */
export const bytesOf = (
  method: string,
  path: string,
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  body?: Buffer,
): Buffer => {
  const all = body === undefined ? headers : [...headers, ["Content-Length", String(body.length)] as const]
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`, "latin1")
  return body === undefined ? head : Buffer.concat([head, body])
}

/** As forms and paths have it; half a character is written as browsers write it. */
export const encoded = (value: string): string => encodeURIComponent(value.toWellFormed())

/** An input, and when it was under way, by the clock of the machine. */
export interface Sent {
  readonly number: number
  readonly input: Input
  readonly beganAt: number
  endedAt: number
}
