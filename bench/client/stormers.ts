/**
 * The client's process of `storm`: all queues of a crowd are read, everybody gets every message, and when the server
 * dies all come back at once: each tries again as soon as its connection is lost, and those who were refused when the
 * server serves again. All must have got the same messages then, each once.
 */
import { request } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { idSpan } from "../../src/events/event.ts"
import { serveCommands } from "../remote.ts"
import { Account } from "../siege/target.ts"
import { channel } from "../target/people.ts"
import { ask, leave } from "./http.ts"
import type { Returning } from "./returning.ts"
import { clientsOf, crowdOrders, Findings, lateMilliseconds, openAll, pauseMilliseconds } from "./returning-crowd.ts"

const Begin = Schema.decodeUnknownSync(Schema.Struct({ ...crowdOrders, author: Account, perSecond: Schema.Number }))
type Begin = ReturnType<typeof Begin>
const Sent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.Number })))

const probeMilliseconds = 10

/** Whether the server says that it serves. */
const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({ port, host: "127.0.0.1", path: "/ready", agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on("error", () => resolve(false))
    asked.end()
  })

class Storm {
  readonly #wanted: Begin
  readonly #clients: ReadonlyArray<Returning>
  readonly #counts: Uint32Array
  readonly #gotAt: Float64Array
  /** Every message that anybody has got, and those that were answered with success. */
  readonly #messages = new Set<number>()
  readonly #answered: Array<number> = []
  readonly #findings = new Findings()
  #phase: "calm" | "away" | "back" | "over" = "calm"
  #beat: NodeJS.Timeout | null = null
  /** Clients that have tried once since the server died, and those that were refused then and wait until it serves. */
  readonly #tried = new Set<Returning>()
  readonly #waiting = new Set<Returning>()
  #killedAt = 0

  constructor(wanted: Begin) {
    this.#wanted = wanted
    this.#counts = new Uint32Array(wanted.people.length)
    this.#gotAt = new Float64Array(wanted.people.length)
    this.#clients = clientsOf(wanted, this.#findings, (_, index) => ({
      onEvent: (id) => {
        this.#messages.add(id)
        this.#counts[index] = (this.#counts[index] ?? 0) + 1
        this.#gotAt[index] = performance.now()
      },
      onBytes: () => {},
      onLost: (client, why) => this.#lost(client, why),
    }))
  }

  /** The first attempt comes at once. */
  #lost(client: Returning, why: string): void {
    if (this.#phase === "over") return
    if (this.#phase === "calm") {
      this.#phase = "away"
      this.#killedAt = performance.now()
      if (this.#beat !== null) clearInterval(this.#beat)
    }
    if (this.#phase === "back") {
      this.#findings.incident(why)
      setTimeout(() => client.open(), pauseMilliseconds)
    } else if (this.#tried.has(client)) this.#waiting.add(client)
    else {
      this.#tried.add(client)
      setImmediate(() => client.open())
    }
  }

  async #send(text: string): Promise<number | null> {
    const { port, author } = this.#wanted
    const form = `type=channel&to=${encodeURIComponent(channel.name)}&topic=storm&content=${encodeURIComponent(text)}`
    try {
      const id = Sent(await ask(port, "/api/v1/messages", author, form)).id * idSpan
      this.#answered.push(id)
      return id
    } catch {
      // Whether it was stored is not known.
      return null
    }
  }

  #haveAll(id: number): boolean {
    return this.#clients.every(({ last }) => last >= id)
  }

  async #untilAllHave(id: number): Promise<boolean> {
    const until = performance.now() + 1000 * this.#wanted.patienceSeconds
    while (!this.#haveAll(id)) {
      if (performance.now() > until) return false
      await wait(5)
    }
    return true
  }

  /** Connects everybody, and talks from then on. */
  async begin(): Promise<void> {
    await openAll(this.#clients)
    const first = await this.#send("the first one")
    if (first === null || !(await this.#untilAllHave(first))) throw new Error("not all got the first message")
    if (this.#findings.faults.length > 0) throw new Error(this.#findings.faults.join("; "))
    let number = 0
    this.#beat = setInterval(() => void this.#send(`before ${number++}`), 1000 / this.#wanted.perSecond)
  }

  /** Waits until the server serves again and everybody has got a message that was sent since. */
  async back() {
    const { port, people } = this.#wanted
    while (this.#phase === "calm") await wait(1)
    while (!(await isReady(port))) await wait(probeMilliseconds)
    const serves = performance.now()
    const cpu = cpuOf(process.pid)
    this.#phase = "back"
    const marked = this.#mark()
    await openAll([...this.#waiting])
    const marker = await marked
    const isComplete = await this.#untilAllHave(marker)
    const times = [...this.#gotAt]
    const last = isComplete ? Math.max(...times) : performance.now()
    const busy = (cpuOf(process.pid) - cpu) / 1000 / (performance.now() - serves)
    // The queues are live again, and what comes twice may come late.
    const after = await this.#send("afterwards")
    const isLive = isComplete && after !== null && (await this.#untilAllHave(after))
    await wait(lateMilliseconds)
    this.#phase = "over"
    for (const client of this.#clients) client.close()
    leave()
    const missing = this.#answered.filter((id) => !this.#messages.has(id)).length
    const lost = this.#counts.reduce((sum, count) => sum + this.#messages.size - count, 0)
    if (isLive && missing + lost > 0) this.#findings.fault(`${missing} messages and ${lost} events were lost`)
    return {
      seconds: (last - serves) / 1000,
      medianSeconds: (quantile(times, 0.5) - serves) / 1000,
      sinceKill: (last - this.#killedAt) / 1000,
      away: (serves - this.#killedAt) / 1000,
      refused: this.#waiting.size,
      missing: isLive ? 0 : this.#clients.filter((client) => client.last < marker).length,
      people: people.length,
      messages: this.#messages.size,
      busy,
      incidents: this.#findings.incidents,
      faults: this.#findings.faults,
    }
  }

  /** Sends the message by which everybody is known to be back. */
  async #mark(): Promise<number> {
    for (;;) {
      const id = await this.#send("back again")
      if (id !== null) return id
      await wait(pauseMilliseconds)
    }
  }
}

let storm: Storm | null = null
serveCommands(
  {
    begin: async (wanted) => {
      storm = new Storm(Begin(wanted))
      await storm.begin()
      return {}
    },
    back: async () => storm?.back() ?? {},
  },
  async () => {},
)
