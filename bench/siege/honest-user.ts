/**
 * One user who talks while others attack: sends at a steady pace whether or not earlier sends are answered, each once, and
 * reads a queue by poll or by WebSocket through the client for programs (src/client), which comes back by itself.
 */
import { Agent, fetch as fetchBy, WebSocket } from "undici"
import { Client, type QueueReader, Refused, type SocketConstructor, Unanswered } from "../../src/client/index.ts"
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

/** As somebody who waits for an answer, rather than as a program that spares a server. */
const pauses = { firstMilliseconds: 100, mostMilliseconds: 200 }
/** No client waits longer for an answer. */
const patienceMilliseconds = 60_000

/** What became of a send that did not go well: its status, or a word where no answer came. */
const outcomeOf = (error: unknown): number | string => {
  if (error instanceof Refused) return error.status
  if (error instanceof Unanswered) return error.mayBeDone ? "no answer" : "not connected"
  throw error
}

export class HonestUser {
  readonly #options: HonestOptions
  /** Honest users come from an address of their own. */
  readonly #agent = new Agent({ localAddress: addresses.honest })
  readonly #client: Client
  readonly #reader: QueueReader
  #sends = 0
  #sockets = 0
  #isOver = false
  #beat: NodeJS.Timeout | null = null
  #reading = Promise.resolve()

  constructor(options: HonestOptions) {
    this.#options = options
    const { port, account, transport } = options
    this.#client = new Client({
      server: `http://127.0.0.1:${port}`,
      account: { email: account.email, apiKey: account.key },
      fetch: this.#fetch,
      WebSocket: this.#makeSocket(),
      pauses,
    })
    const wanted = { event_types: ["message"], fetch_event_types: [] }
    this.#reader = this.#client.read(wanted, { sockets: transport === "socket", keepQueue: true })
  }

  /** The client tells of no poll that was lost, so it is counted here. */
  readonly #fetch: typeof fetch = async (input, init = {}) => {
    const url = String(input)
    const isPoll = url.includes("/api/v1/events?")
    try {
      const headers = { ...init.headers, Host: host }
      const response = await fetchBy(url, { ...init, headers, dispatcher: this.#agent })
      if (isPoll && !response.ok) this.#note("reconnection")
      return response
    } catch (error) {
      if (isPoll && init.signal?.aborted !== true) this.#note("reconnection")
      throw error
    }
  }

  #makeSocket(): SocketConstructor {
    const dispatcher = this.#agent
    const opened = () => {
      if (this.#sockets++ > 0) this.#note("reconnection")
    }
    return class extends WebSocket {
      constructor(url: string, protocol: string) {
        super(url, { protocols: [protocol], headers: { Host: host }, dispatcher })
        opened()
      }
    }
  }

  #note(incident: "reconnection" | "queue lost"): void {
    if (!this.#isOver) this.#options.book.incident(incident)
  }

  /** Resolves when there is a queue, which is read from then on; then `talk` begins. */
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reading = this.#read(resolve)
      this.#reading.catch(reject)
    })
  }

  async #read(begun: () => void): Promise<void> {
    const { account, book } = this.#options
    let states = 0
    for await (const item of this.#reader) {
      if (item.kind === "state") {
        if (states++ === 0) begun()
        else this.#note("queue lost")
        continue
      }
      if (item.event.type !== "message") continue
      const [, sender, number] = /honest (\d+) (\d+)/.exec(item.event.message.content) ?? []
      if (sender !== undefined) book.got(account.id, this.#reader.transport, Number(sender), Number(number))
    }
  }

  talk(): void {
    this.#beat = setInterval(() => void this.#send(), 1000 / this.#options.perSecond)
  }

  silence(): void {
    if (this.#beat !== null) clearInterval(this.#beat)
  }

  /** Rejects where the reading has failed before. */
  async end(): Promise<void> {
    this.#isOver = true
    this.silence()
    this.#reader.close()
    await this.#reading.finally(() => this.#agent.destroy())
  }

  async #send(): Promise<void> {
    const { account, channel, book } = this.#options
    const number = this.#sends++
    book.sends(account.id, number)
    const content = `honest ${account.id} ${number} ${"and so on ".repeat(8)}`
    const message = { type: "channel", to: channel, topic: "talk", content } as const
    const answered = await this.#client
      .call("POST /messages", message, { retries: false, patienceMilliseconds })
      .then(() => 200, outcomeOf)
    book.answered(account.id, number, answered)
  }
}
