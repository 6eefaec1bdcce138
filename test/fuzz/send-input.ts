/** Sends an input, and tells what came of it. */
import { connect as connectTcp } from "node:net"
import { type RawAnswer, RawConnection } from "../kit/raw-http.ts"
import { connect, UpgradeRefused } from "../kit/socket-client.ts"
import type { Input, Scene } from "./input.ts"

/** `silent`: nothing came in time, as of a poll that waits. `cut`: the connection ended before an answer. */
export interface Outcome {
  readonly status: number | "silent" | "cut"
  /** Why it is a fault of the server; absent where it is none. */
  readonly fault?: string
  /** The beginning of what a refusal says. */
  readonly refusal?: string
}

const answerMilliseconds = 15_000
/** For a connection that may rightly be kept open without an answer. */
const quietMilliseconds = 60
const socketMilliseconds = 40
/** A server closes connections that rest for ten seconds. */
const restMilliseconds = 3_000

const after = <A>(milliseconds: number, value: A): { readonly late: Promise<A>; readonly end: () => void } => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<A>((resolve) => {
    timer = setTimeout(() => resolve(value), milliseconds)
  })
  return { late, end: () => clearTimeout(timer) }
}

/** One connection for whole requests, opened anew where the server closes it. */
export class Line {
  readonly #port: number
  #connection: RawConnection | null = null
  #usedAt = 0

  constructor(port: number) {
    this.#port = port
  }

  async ask(input: Extract<Input, { readonly kind: "request" }>, patience = answerMilliseconds): Promise<Outcome> {
    const isFresh = performance.now() - this.#usedAt < restMilliseconds
    if (this.#connection === null || this.#connection.isOver || !isFresh) this.#open()
    const connection = this.#connection
    if (connection === null) return { status: "cut" }
    connection.write(input.bytes)
    const { late, end } = after<"silent">(patience, "silent")
    const answered = connection.next(input.isHead).catch((error: unknown) => String(error))
    const answer = await Promise.race([answered, late])
    end()
    this.#usedAt = performance.now()
    const mayGoOn = typeof answer === "object" && answer.headers.get("connection") !== "close" && isWhole(answer)
    if (!mayGoOn) this.close()
    if (answer === "silent") return { status: "silent" }
    if (answer === undefined) return { status: "cut" }
    if (typeof answer === "string") return { status: "cut", fault: answer }
    if (answer.status === 500) return { status: 500, fault: answer.body.slice(0, 500) }
    return answer.status < 400
      ? { status: answer.status }
      : { status: answer.status, refusal: answer.body.slice(0, 120) }
  }

  close(): void {
    this.#connection?.destroy()
    this.#connection = null
  }

  #open(): void {
    this.close()
    this.#connection = new RawConnection(this.#port)
  }
}

/** Of an answer in pieces only the beginning is read. */
const isWhole = ({ headers }: RawAnswer): boolean => !headers.has("transfer-encoding")

const sendBytes = ({ chunks }: Extract<Input, { readonly kind: "bytes" }>, port: number): Promise<Outcome> =>
  new Promise((resolve) => {
    const tcp = connectTcp(port, "127.0.0.1")
    let read = ""
    const done = (ending: "silent" | "cut") => {
      clearTimeout(quiet)
      tcp.destroy()
      const found = /^HTTP\/1\.1 (\d{3}) /.exec(read)?.[1]
      const isBroken = /HTTP\/1\.1 500 /.test(read)
      const status = found === undefined ? ending : Number(found)
      resolve(isBroken ? { status, fault: read.slice(0, 500) } : { status })
    }
    let quiet = setTimeout(() => done("silent"), 50 * quietMilliseconds)
    tcp.on("error", () => {})
    tcp.on("close", () => done("cut"))
    tcp.on("data", (chunk) => {
      if (read.length < 100_000) read += chunk.toString("latin1")
      clearTimeout(quiet)
      quiet = setTimeout(() => done("silent"), quietMilliseconds)
    })
    tcp.on("connect", () => {
      for (const chunk of chunks) tcp.write(chunk)
      clearTimeout(quiet)
      quiet = setTimeout(() => done("silent"), quietMilliseconds)
    })
  })

const internalClose = 1011

const sendFrames = async (
  { chunks, protocol, isSigned }: Extract<Input, { readonly kind: "socket" }>,
  port: number,
  { queue, keys }: Scene,
): Promise<Outcome> => {
  try {
    const socket = await connect({
      port,
      path: `/api/v1/events/ws?queue_id=${queue.id}&last_event_id=${queue.last}`,
      protocol,
      ...(isSigned ? { headers: { Authorization: keys.member } } : {}),
    })
    for (const chunk of chunks) socket.raw(chunk)
    const { late, end } = after<undefined>(socketMilliseconds, undefined)
    const closed = await Promise.race([socket.closed, late])
    end()
    socket.destroy()
    if (closed?.code === internalClose) return { status: 500, fault: `the socket was closed: ${closed.reason}` }
    return { status: closed?.code ?? "silent" }
  } catch (error) {
    if (!(error instanceof UpgradeRefused)) return { status: "cut" }
    return error.status === 500 ? { status: 500, fault: error.body } : { status: error.status }
  }
}

export const sendInput = (input: Input, line: Line, port: number, scene: Scene): Promise<Outcome> => {
  if (input.kind === "request") return line.ask(input)
  return input.kind === "bytes" ? sendBytes(input, port) : sendFrames(input, port, scene)
}
