/**
 * Receives request bodies. A small one that comes at once, as nearly all do, is handed on as it is. For any other it is
 * asked first who sends it and how much they may; then it is kept in one buffer that grows with what has come, whatever
 * length was declared, within the budget for all and within a time, however slowly it drips. Made by server.ts, called
 * by receive-request.ts; uws-response.ts brings the parts.
 */

import { type ApiError, requestTooLarge, serviceUnavailable } from "../../api/errors.ts"
import type { ClockShape, Timer } from "../../clock.ts"
import type { Limits } from "../../config/config.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import type { WireResponse } from "../network/uws-response.ts"
import type { RequestSender } from "../senders/request-sender.ts"
import { BodyBudget, overheadBytes } from "./body-budget.ts"

/** A sender, and the most bytes that its body may have. */
export interface BodyAllowance extends RequestSender {
  readonly limit: number
}

/** A body that has come. Its bytes are valid during the call that hands it over only, unless it is kept. */
export interface WholeBody {
  readonly bytes: () => Uint8Array
  /** Keeps it, within the budget, until `release`; false where there is no room, and it has been refused. */
  readonly keep: (sender: RequestSender) => boolean
  /** To be called, kept or not, when the bytes are needed no more; calls after the first have no effect. */
  readonly release: () => void
}

export interface BodyHandlers {
  /** Tells who sends, or why nothing more is read; once, at once or later. */
  readonly judge: (decide: (found: BodyAllowance | ApiError) => void) => void
  readonly onWhole: (body: WholeBody) => void
  readonly onRefused: (error: ApiError) => void
  /** It did not come in time: the connection is cut. */
  readonly onCut: () => void
}

export interface RequestBodies {
  /** The returned function ends the reading, where the client has gone away. `address`: asked for if it is slow. */
  readonly receive: (response: WireResponse, address: () => string, handlers: BodyHandlers) => () => void
  readonly budget: BodyBudget
}

class IncomingBody {
  readonly #response: WireResponse
  readonly #handlers: BodyHandlers
  readonly #parts: BodyServices
  #sender: RequestSender | undefined
  /** Undefined until it is known. */
  #limit: number | undefined
  #kept = new Uint8Array(0)
  #size = 0
  #taken = 0
  #isWhole = false
  #isPaused = false
  #isOver = false
  #timer: Timer | undefined

  constructor(parts: BodyServices, response: WireResponse, handlers: BodyHandlers) {
    this.#parts = parts
    this.#response = response
    this.#handlers = handlers
  }

  /** `address`: whom the first part counts for, until the sender is known. */
  onPart(chunk: Uint8Array, isLast: boolean, address: () => string): void {
    if (this.#isOver) return
    const { limits, clock } = this.#parts
    if (isLast && this.#size === 0 && chunk.length <= smallBody(limits)) return this.#handOver(chunk)
    this.#isWhole = isLast
    if (this.#timer === undefined) {
      this.#timer = clock.after(1000 * limits.requestBodySeconds, () => this.#cut())
      this.#handlers.judge((found) => this.#decide(found))
      if (this.#isOver) return
      if (this.#limit === undefined) {
        // Bytes that have come already must be kept; nothing more is read until it is known who sends.
        this.#sender = { who: address(), isAccount: false }
        this.#isPaused = true
        this.#response.pause()
      }
    }
    if (this.#limit !== undefined && this.#size + chunk.length > this.#limit) return this.#refuseSize(this.#limit)
    if (this.#keep(chunk) && isLast && this.#limit !== undefined) this.#finish()
  }

  end(): void {
    this.#isOver = true
    this.#timer?.cancel()
    if (this.#sender !== undefined) this.#parts.budget.giveBack(this.#sender, this.#taken)
    this.#taken = 0
    this.#kept = new Uint8Array(0)
  }

  #decide(found: BodyAllowance | ApiError): void {
    if (this.#isOver || this.#limit !== undefined) return
    if ("code" in found) return this.#refuse(found)
    const { limit, ...sender } = found
    if (this.#size > limit) return this.#refuseSize(limit)
    const { budget } = this.#parts
    if (this.#sender !== undefined) budget.giveBack(this.#sender, this.#taken)
    this.#sender = sender
    if (!budget.take(sender, this.#taken)) {
      this.#taken = 0
      return this.#refuseFull()
    }
    this.#limit = limit
    if (!this.#isPaused) return
    // Also where the body is whole: the connection's next request comes behind it.
    this.#response.resume()
    if (this.#isWhole) this.#finish()
  }

  /** Copies the part: the native side reuses its memory. False where there is no room, and it is refused. */
  #keep(chunk: Uint8Array): boolean {
    const size = this.#size + chunk.length
    const capacity = this.#kept.length
    const wanted = size <= capacity ? capacity : Math.max(size, Math.min(2 * capacity, this.#limit ?? size))
    const more = wanted - capacity + (this.#taken === 0 ? overheadBytes : 0)
    if (this.#sender === undefined || (more > 0 && !this.#parts.budget.take(this.#sender, more))) {
      this.#refuseFull()
      return false
    }
    this.#taken += more
    if (wanted > capacity) {
      const larger = new Uint8Array(wanted)
      larger.set(this.#kept.subarray(0, this.#size))
      this.#kept = larger
    }
    this.#kept.set(chunk, this.#size)
    this.#size = size
    return true
  }

  #finish(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#handlers.onWhole({
      bytes: () => this.#kept.subarray(0, this.#size),
      keep: () => true,
      release: () => this.end(),
    })
  }

  /** A body that came in one part, of which nothing is kept unless it has to wait. */
  #handOver(chunk: Uint8Array): void {
    this.#isOver = true
    let bytes = chunk
    this.#handlers.onWhole({
      bytes: () => bytes,
      keep: (sender) => {
        this.#sender = sender
        if (!this.#keep(chunk)) return false
        bytes = this.#kept.subarray(0, this.#size)
        return true
      },
      release: () => this.end(),
    })
  }

  #refuse(error: ApiError): void {
    this.end()
    this.#handlers.onRefused(error)
  }

  #refuseSize(limit: number): void {
    this.#refuse(requestTooLarge(limit))
  }

  #refuseFull(): void {
    this.#note()
    this.#refuse(serviceUnavailable(1))
  }

  #cut(): void {
    this.#note()
    this.end()
    this.#response.cut()
    this.#handlers.onCut()
  }

  #note(): void {
    if (this.#sender !== undefined) this.#parts.refusals.note("request bodies", this.#sender.who)
  }
}

interface BodyServices {
  readonly clock: ClockShape
  readonly limits: Limits
  readonly refusals: RefusalsShape
  readonly budget: BodyBudget
}

/** Bytes that anybody may send. */
export const smallBody = ({ unauthenticatedRequestBytes, maxRequestBytes }: Limits): number =>
  Math.min(unauthenticatedRequestBytes, maxRequestBytes)

export const makeBodies = (clock: ClockShape, limits: Limits, refusals: RefusalsShape): RequestBodies => {
  const budget = new BodyBudget(limits)
  const parts = { clock, limits, refusals, budget }
  return {
    budget,
    receive: (response, address, handlers) => {
      const incoming = new IncomingBody(parts, response, handlers)
      response.onBody((chunk, isLast) => incoming.onPart(chunk, isLast, address))
      return () => incoming.end()
    },
  }
}
