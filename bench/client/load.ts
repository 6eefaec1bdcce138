/**
 * Sends messages and times their arrival: either a fixed number in flight, each until it has reached every reader, or a
 * fixed number per second. Only a window within the load is measured: it begins after the warm-up and ends before the
 * load. After the load the messages in flight arrive, and every event is accounted for.
 */
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { median, quantile } from "../../src/command-line/bench/statistics.ts"
import { PostSender } from "../../src/command-line/bench/wire/post-sender.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"
import type { Arrivals } from "./arrivals.ts"

export interface LoadOptions {
  readonly port: number
  /** The number of readers that do not stall. */
  readonly readers: number
  /** Either `inFlight` or `perSecond` is set, the other is null. */
  readonly inFlight: number | null
  readonly perSecond: number | null
  readonly warmUpSeconds: number
  readonly seconds: number
  /** Milliseconds between two reads of sockets, so that it sleeps equally long against both servers; 0: when woken. */
  readonly paceMilliseconds: number
  readonly request: (number: number) => string
  /** The server's processor time so far, in microseconds. */
  readonly serverCpu: () => number
}

export interface LoadResult {
  /** Messages, and the figures below, of the window only. */
  readonly messages: number
  readonly deliveries: number
  readonly frames: number
  readonly bytes: number
  readonly seconds: number
  readonly serverCpu: number
  /** The shares of the window in which server and client used the processor. */
  readonly serverBusy: number
  readonly clientBusy: number
  /** Milliseconds from the request to the median and to the last reader, of each timed message. */
  readonly medians: ReadonlyArray<number>
  readonly lasts: ReadonlyArray<number>
  readonly answers: ReadonlyArray<number>
  /** Quantiles over all timed deliveries, milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly faults: ReadonlyArray<string>
}

const drainMilliseconds = 20_000
const still = new Int32Array(new SharedArrayBuffer(4))

export class Load {
  readonly #options: LoadOptions
  readonly #arrivals: Arrivals
  readonly #sender: PostSender
  readonly #sentAt: Array<number> = []
  readonly #answers: Array<number> = []
  readonly #answering: Array<number> = []
  /** Number of events before this load; without scouts, messages are numbered by their order. */
  readonly #before: number
  #inFlight = 0
  #completed = 0
  #sending = true
  #pacing = true
  /** Messages that should have been sent by now and found no free connection. */
  #owed = 0
  readonly #faults: Array<string> = []

  constructor(arrivals: Arrivals, options: LoadOptions) {
    this.#arrivals = arrivals
    this.#options = options
    this.#before = arrivals.newest
    this.#sender = new PostSender(loopback(options.port), options.inFlight ?? 64, ({ status, body }) => {
      const sent = this.#answering.shift()
      if (sent !== undefined) this.#answers.push(performance.now() - sent)
      if (status !== 200) this.#faults.push(`a message was answered with ${status}: ${body.toString("utf8", 0, 200)}`)
      this.#pump()
    })
  }

  completed(): void {
    this.#inFlight--
    this.#completed++
    this.#pump()
  }

  async run(): Promise<LoadResult> {
    const { warmUpSeconds, seconds, perSecond, serverCpu } = this.#options
    const arrivals = this.#arrivals
    this.#pace()
    const timer = perSecond === null ? null : this.#beat(perSecond)
    this.#pump()
    await this.#wait(warmUpSeconds)
    const first = this.#sentAt.length
    const begin = { at: performance.now(), own: cpuOf(process.pid), server: serverCpu(), ...this.#counts() }
    arrivals.sampling = true
    await this.#wait(seconds)
    const end = { at: performance.now(), own: cpuOf(process.pid), server: serverCpu(), ...this.#counts() }
    this.#sending = false
    if (timer !== null) clearInterval(timer)
    await this.#drain()
    this.#pacing = false
    this.#sender.close()
    const took = end.at - begin.at
    const times = this.#times(first)
    return {
      messages: end.messages - begin.messages,
      deliveries: end.deliveries - begin.deliveries,
      frames: end.frames - begin.frames,
      bytes: end.bytes - begin.bytes,
      seconds: took / 1000,
      serverCpu: end.server - begin.server,
      serverBusy: (end.server - begin.server) / took / 1000,
      clientBusy: (end.own - begin.own) / took / 1000,
      ...times,
      answers: this.#answers,
      faults: [...this.#faults.slice(0, 20), ...arrivals.faults],
    }
  }

  #counts() {
    const { deliveries, frames, bytes } = this.#arrivals
    return { messages: this.#completed, deliveries, frames, bytes }
  }

  #pump(): void {
    const { inFlight } = this.#options
    while (this.#sending && (inFlight === null ? this.#owed > 0 : this.#inFlight < inFlight)) {
      const number = this.#sentAt.length
      if (!this.#sender.send(this.#options.request(number), number)) return
      const now = performance.now()
      this.#sentAt.push(now)
      this.#answering.push(now)
      this.#inFlight++
      this.#owed--
    }
  }

  #beat(perSecond: number): NodeJS.Timeout {
    return setInterval(() => {
      this.#owed = 1
      this.#pump()
    }, 1000 / perSecond)
  }

  /** Reads the sockets, then pauses, again and again during the load. */
  #pace(): void {
    const { paceMilliseconds } = this.#options
    if (!this.#pacing || paceMilliseconds === 0) return
    Atomics.wait(still, 0, 0, paceMilliseconds)
    setImmediate(() => this.#pace())
  }

  #wait(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  }

  async #drain(): Promise<void> {
    const giveUpAt = performance.now() + drainMilliseconds
    const { readers } = this.#options
    const missing = () => this.#sentAt.length * readers - this.#arrivals.deliveries
    while (missing() > 0 && this.#faults.length === 0 && performance.now() < giveUpAt) await this.#wait(0.01)
    if (missing() !== 0) this.#faults.push(`${missing()} deliveries of ${this.#sentAt.length} messages are missing`)
  }

  #times(first: number) {
    const medians: Array<number> = []
    const lasts: Array<number> = []
    const all: Array<number> = []
    for (const [position, { times, seen }] of this.#arrivals.samples) {
      const number = this.#arrivals.numbers.get(position) ?? position - this.#before - 1
      const sent = this.#sentAt[number]
      if (sent === undefined || number < first || seen < times.length) continue
      for (const time of times) all.push(time - sent)
      medians.push(median(times) - sent)
      lasts.push((times[times.length - 1] ?? Number.NaN) - sent)
    }
    return { medians, lasts, p50: quantile(all, 0.5), p99: quantile(all, 0.99), p999: quantile(all, 0.999) }
  }
}
