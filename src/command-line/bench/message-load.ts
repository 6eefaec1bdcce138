/**
 * Messages to a crowd: either some in flight, each until all queues have it, or some each second. What is answered with 429
 * stops it for as long as the server asks.
 */
import { setTimeout as wait } from "node:timers/promises"
import { authorizationOf, type BenchScene } from "./bench-channel.ts"
import { DeliveryLedger } from "./ledger.ts"
import { lookMilliseconds, SteadyBeat } from "./steady-beat.ts"
import { PostSender } from "./wire/post-sender.ts"

export interface LoadPace {
  /** One of them is null. */
  readonly inFlight: number | null
  readonly perSecond: number | null
}

const pollMilliseconds = 5
const mostPatience = 70_000

/** A whole request with a form as its body. */
const post = (authority: string, path: string, header: string, form: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${authority}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${form.length}`,
    header,
    "",
    form,
  ].join("\r\n")

export interface MessageLoadOptions {
  readonly scene: BenchScene
  /** Of the queues. */
  readonly size: number
  /** Stands before a message's number in its text. */
  readonly mark: string
  readonly textBytes: number
  /** The most messages that wait for an answer at a time. */
  readonly connections: number
}

export class MessageLoad {
  readonly #options: MessageLoadOptions
  readonly ledger: DeliveryLedger
  readonly #sender: PostSender
  readonly #inFlight = new Set<number>()
  readonly #unanswered = new Set<number>()
  #pace: LoadPace = { inFlight: 0, perSecond: null }
  #beat: SteadyBeat | null = null
  #timer: NodeJS.Timeout | null = null
  /** By performance.now: nothing is sent before. */
  #from = 0

  constructor(options: MessageLoadOptions) {
    this.#options = options
    const { scene, size } = options
    this.ledger = new DeliveryLedger(size, (number) => this.#leaves(number))
    this.#sender = new PostSender(scene.place, options.connections, ({ status, retryAfter, body }, number) => {
      const { findings } = scene
      // One that came too late has been counted as a failure.
      const isLate = !this.#unanswered.delete(number)
      this.ledger.answer(number, performance.now(), status === 200 ? "stored" : status === 0 ? "unknown" : "refused")
      if (status === 429) {
        findings.lose("limited", "too many requests")
        this.#wait(retryAfter ?? 1000)
      } else if (status !== 200) {
        if (!isLate) findings.fail(`a message was answered with ${status}: ${body.toString("utf8", 0, 200)}`)
        this.#wait(100)
      }
      if (status !== 200) this.#leaves(number)
      else this.#pump()
    })
  }

  #leaves(number: number): void {
    this.#inFlight.delete(number)
    this.#pump()
  }

  #wait(milliseconds: number): void {
    this.#from = Math.max(this.#from, performance.now() + milliseconds)
    this.#beat?.restart(this.#from)
    setTimeout(() => this.#pump(), milliseconds + 1).unref()
  }

  /** Waits for as long as the server has asked to. */
  async mayGoOn(): Promise<void> {
    const { signal, tell } = this.#options.scene
    const left = this.#from - performance.now()
    if (left <= 0) return
    tell("the server asks to wait (429)")
    await wait(Math.min(left, mostPatience), undefined, { signal })
  }

  start(pace: LoadPace): void {
    this.#pace = pace
    if (pace.perSecond !== null) {
      this.#beat = new SteadyBeat(pace.perSecond, performance.now())
      this.#timer = setInterval(() => this.#pump(), lookMilliseconds(pace.perSecond))
    }
    this.#pump()
  }

  stop(): void {
    this.#pace = { inFlight: 0, perSecond: null }
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#beat = this.#timer = null
  }

  #pump(): void {
    const { inFlight } = this.#pace
    const beat = this.#beat
    const isWanted = () => (beat === null ? this.#inFlight.size < (inFlight ?? 0) : beat.owed(performance.now()) > 0)
    while (performance.now() >= this.#from && isWanted()) {
      if (this.sendOne() === null) return
      beat?.sent()
    }
  }

  /** Answers the message's number; null where all connections wait for answers. */
  sendOne(): number | null {
    const { scene, mark, textBytes } = this.#options
    const number = this.ledger.messages
    const account = scene.accounts[number % scene.accounts.length]
    if (account === undefined) return null
    const text = `${mark}${number} `
    const content = text + "x".repeat(Math.max(1, textBytes - text.length))
    const form = new URLSearchParams({ type: "channel", to: scene.channel, topic: "bench", content }).toString()
    const request = post(scene.place.authority, "/api/v1/messages", authorizationOf(account), form)
    if (!this.#sender.send(request, number)) return null
    this.ledger.send(performance.now())
    this.#inFlight.add(number)
    this.#unanswered.add(number)
    return number
  }

  /**
   * Waits until all that was sent is answered and has arrived, or for so long; answers how many deliveries have not. What is
   * not answered has failed.
   */
  async drain(milliseconds: number): Promise<number> {
    const { signal, findings } = this.#options.scene
    const until = performance.now() + milliseconds
    const isOpen = () => this.#inFlight.size + this.#unanswered.size > 0
    while (isOpen() && performance.now() < until && !signal.aborted) await wait(pollMilliseconds)
    signal.throwIfAborted()
    for (const number of this.#unanswered) {
      this.ledger.answer(number, Number.NaN, "unknown")
      findings.fail("not answered")
    }
    this.#unanswered.clear()
    this.#inFlight.clear()
    return this.ledger.missing
  }

  close(): void {
    this.stop()
    this.#sender.close()
  }
}
