/**
 * A client of one server as one account, in a browser or in Node: calls of all endpoints, sends that are made once however
 * often they are tried, and readers of queues. It knows an endpoint by its method and path; types say what it takes.
 */
import { encode } from "./encode.ts"
import type { Account, ClientWire } from "./exchange.ts"
import type { CallArguments, Operation, Params, Reply } from "./operations.ts"
import type { PauseBounds } from "./pauses.ts"
import { type CallOptions, persist } from "./persist.ts"
import type { SocketConstructor } from "./queue-socket.ts"
import { newRandomId } from "./random-id.ts"
import { QueueReader, type ReadOptions } from "./reader.ts"

export interface ClientOptions {
  /** The server's address: `https://chat.example.com`; in a page of the server itself, `location.origin`. */
  readonly server: string
  /** Absent: a visitor. */
  readonly account?: Account | undefined
  /** In place of the global one. */
  readonly fetch?: typeof fetch | undefined
  /** In place of the global one, which Node 20 does not have: queues are read by poll there, unless one is given. */
  readonly WebSocket?: SocketConstructor | undefined
  /** How long to wait between tries, at first and at most; less than by itself only among friends. */
  readonly pauses?: PauseBounds | undefined
}

const globalSocket = (): SocketConstructor | undefined => Reflect.get(globalThis, "WebSocket")

const callMilliseconds = 60_000
const sendMilliseconds = 300_000
/** The server knows a send again for a day. */
const longestSendMilliseconds = 23 * 3_600_000

export class Client {
  readonly #wire: ClientWire
  readonly #WebSocket: SocketConstructor | undefined
  /** In place of a queue for sends that have none: the server only compares it. */
  readonly #ownQueue = newRandomId()
  #sends = 0

  constructor({ server, account, fetch: given, WebSocket, pauses }: ClientOptions) {
    // In a browser fetch must not be called as a method of something else.
    const ask: typeof fetch = given ?? ((input, init) => fetch(input, init))
    this.#wire = { server: server.replace(/\/+$/, ""), account, fetch: ask, pauses }
    this.#WebSocket = WebSocket ?? globalSocket()
  }

  /**
   * Calls an endpoint; answers the fields of its success. Rejects with `Refused`, whose code `isRefused` tells the type of,
   * or `Unanswered`. It is tried again for a minute where nothing can have been done, or a second time does no harm.
   */
  async call<Op extends Operation>(
    operation: Op,
    ...[params, options = {}]: CallArguments<Op, CallOptions>
  ): Promise<Reply<Op>> {
    const fields = { ...params }
    const isKnown = isKnownAgain(operation, fields)
    const { patienceMilliseconds = callMilliseconds } = options
    return persist(this.#wire, operation, encode(operation, fields), {
      ...options,
      patienceMilliseconds: isKnown ? Math.min(patienceMilliseconds, longestSendMilliseconds) : patienceMilliseconds,
      isRepeatable: operation.startsWith("GET ") || isKnown,
    })
  }

  /**
   * Sends a message once, however often it must be tried: over lost answers, restarts of the server and its limits, for
   * five minutes. `queue_id` of a reader, that this queue's event carries the `local_id`; without one the client makes both.
   */
  send(message: Params<"POST /messages">, options: CallOptions = {}): Promise<Reply<"POST /messages">> {
    const queue_id = message.queue_id || this.#ownQueue
    const local_id = message.local_id || `${this.#ownQueue}.${this.#sends++}`
    const { patienceMilliseconds = sendMilliseconds } = options
    return this.call("POST /messages", { ...message, queue_id, local_id }, { ...options, patienceMilliseconds })
  }

  /** Registers a queue with these parameters and reads it: `for await (const item of client.read({})) ...` */
  read(register: Params<"POST /register"> = {}, { queue, ...options }: ReadOptions = {}): QueueReader {
    const { account } = this.#wire
    if (account === undefined) throw new TypeError("a queue belongs to an account")
    const known = queue === undefined ? null : { id: queue.queueId, lastId: queue.lastEventId }
    return new QueueReader({
      ...options,
      wire: this.#wire,
      account,
      WebSocket: this.#WebSocket,
      register,
      queue: known,
    })
  }
}

/** An empty id counts as none. */
const isKnownAgain = (operation: string, { queue_id, local_id }: Readonly<Record<string, unknown>>): boolean =>
  operation === "POST /messages" && [queue_id, local_id].every((id) => id !== undefined && id !== "")
