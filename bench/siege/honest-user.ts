/**
 * One user who talks while others attack: sends at a steady pace whether or not earlier sends are answered, and reads a
 * queue by poll or by WebSocket, going on from its last event after a lost connection, as clients do.
 */
import { Agent, request as ask } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { authorization } from "../client/http.ts"
import { SocketReader } from "../client/socket-reader.ts"
import type { HonestBook, Transport } from "./honest-book.ts"
import { type Account, addresses, host } from "./target.ts"

export interface HonestOptions {
  readonly port: number
  readonly account: Account
  readonly channel: string
  readonly transport: Transport
  readonly perSecond: number
  readonly book: HonestBook
}

const Event = Schema.Struct({
  id: Schema.Number,
  message: Schema.optional(Schema.Struct({ content: Schema.String })),
})
const decodeEvents = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Event)))
const decodePolled = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ events: Schema.Array(Event) })))
const decodeRegistered = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ queue_id: Schema.String, last_event_id: Schema.Number })),
)

const retryMilliseconds = 100
/** No client waits longer for an answer. A poll is answered after a minute even without events. */
const patience = { send: 60_000, poll: 90_000 } as const

interface Answer {
  /** A word where no answer came. */
  readonly status: number | string
  readonly text: string
}

export class HonestUser {
  readonly #options: HonestOptions
  readonly #agent = new Agent({ keepAlive: true })
  #queue = ""
  #last = -1
  #next = 0
  #isOver = false
  #beat: NodeJS.Timeout | null = null
  #reader: SocketReader | null = null

  constructor(options: HonestOptions) {
    this.#options = options
  }

  /** Resolves when the queue is read; then `talk` begins. */
  async begin(): Promise<void> {
    await this.#register()
    if (this.#options.transport === "socket") await this.#openSocket()
    else void this.#poll()
  }

  talk(): void {
    this.#beat = setInterval(() => void this.#send(), 1000 / this.#options.perSecond)
  }

  silence(): void {
    if (this.#beat !== null) clearInterval(this.#beat)
  }

  end(): void {
    this.#isOver = true
    this.silence()
    this.#reader?.close()
    this.#agent.destroy()
  }

  async #send(): Promise<void> {
    const { account, channel, book } = this.#options
    const number = this.#next++
    book.sends(account.id, number)
    const content = `honest ${account.id} ${number} ${"and so on ".repeat(8)}`
    const form = new URLSearchParams({ type: "channel", to: channel, topic: "talk", content })
    const { status } = await this.#ask("POST", "/api/v1/messages", form.toString(), patience.send)
    book.answered(account.id, number, status)
  }

  async #register(): Promise<void> {
    while (!this.#isOver) {
      const form = "event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D"
      const { text } = await this.#ask("POST", "/api/v1/register", form, patience.send)
      const registered = Option.getOrNull(decodeRegistered(text))
      if (registered !== null) {
        this.#queue = registered.queue_id
        this.#last = registered.last_event_id
        return
      }
      await wait(retryMilliseconds)
    }
  }

  #take(events: ReadonlyArray<typeof Event.Type>): void {
    const { account, book, transport } = this.#options
    for (const { id, message } of events) {
      this.#last = Math.max(this.#last, id)
      const [, sender, number] = /honest (\d+) (\d+)/.exec(message?.content ?? "") ?? []
      if (sender !== undefined) book.got(account.id, transport, Number(sender), Number(number))
    }
  }

  async #poll(): Promise<void> {
    while (!this.#isOver) {
      const path = `/api/v1/events?queue_id=${this.#queue}&last_event_id=${this.#last}`
      const { status, text } = await this.#ask("GET", path, null, patience.poll)
      if (this.#isOver) return
      if (status === 200) this.#take(Option.getOrElse(decodePolled(text), () => ({ events: [] })).events)
      else await this.#recover(text)
    }
  }

  #openSocket(): Promise<void> {
    const { port, account } = this.#options
    return new Promise((resolve) => {
      let isLost = false
      const path = `/api/v1/events/ws?queue_id=${this.#queue}&last_event_id=${this.#last}`
      const sink = {
        scout: true,
        frame: () => {},
        whole: (text: string) => this.#take(Option.getOrElse(decodeEvents(text), () => [])),
        lost: (why: string) => {
          if (isLost || this.#isOver) return
          isLost = true
          reader.close()
          void this.#recover(why)
            .then(() => this.#openSocket())
            .then(resolve)
        },
      }
      const reader = new SocketReader(port, path, [authorization(account)], sink, resolve, addresses.honest)
      this.#reader = reader
    })
  }

  /** After a lost connection or an error; a queue that is gone is replaced. */
  async #recover(why: string): Promise<void> {
    const isGone = why.includes("BAD_EVENT_QUEUE_ID")
    this.#options.book.incident(isGone ? "queue lost" : "reconnection")
    await wait(retryMilliseconds)
    if (isGone) await this.#register()
  }

  #ask(method: string, path: string, form: string | null, milliseconds: number): Promise<Answer> {
    const { port, account } = this.#options
    return new Promise((resolve) => {
      const options = { port, host: "127.0.0.1", localAddress: addresses.honest, method, path, agent: this.#agent }
      const type = form === null ? {} : { "Content-Type": "application/x-www-form-urlencoded" }
      const headers = { Host: host, ...type }
      const lose = (why: string) => resolve({ status: why, text: "" })
      const asked = ask({ ...options, headers, auth: `${account.email}:${account.key}` }, (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
        response.on("error", () => lose("cut"))
      })
      const late = setTimeout(() => {
        lose("no answer")
        asked.destroy()
      }, milliseconds)
      asked.on("close", () => clearTimeout(late))
      asked.on("error", (error) => lose("code" in error && error.code === "ECONNREFUSED" ? "not connected" : "cut"))
      asked.end(form ?? undefined)
    })
  }
}
