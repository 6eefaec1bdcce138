/**
 * Memory that unfinished request bodies may take: in all, for one sender, and for all who have not signed in, so that
 * they leave room for the others. Made by server.ts; request-bodies.ts takes and gives back.
 */
import type { Limits } from "../../config/config.ts"
import type { RequestSender } from "../senders/request-sender.ts"

/** Bytes that an unfinished body costs beside its own: for its connection, request, timer. */
export const overheadBytes = 4096

/** Bytes of a form beside the image in it: the frame of its parts. */
const frameBytes = 16 * 1024

/** Bytes that an account may send where an image is taken. */
export const imageBody = ({ imageFileBytes, maxRequestBytes }: Limits): number =>
  Math.max(imageFileBytes + frameBytes, maxRequestBytes)

/** Share of the memory for all that may go to those who have not signed in. */
const shareOfStrangers = 0.25

export class BodyBudget {
  readonly #inAll: number
  readonly #perSender: number
  #taken = 0
  #ofStrangers = 0
  readonly #bySender = new Map<string, number>()

  constructor(limits: Limits) {
    // At least one body of the full size, however they are set.
    const one = imageBody(limits) + overheadBytes
    this.#inAll = Math.max(limits.requestBytesInAll, one)
    this.#perSender = Math.max(limits.requestBytesPerSender, one)
  }

  /** Bytes that are taken now. */
  get taken(): number {
    return this.#taken
  }

  /** False, and nothing taken, where it would be too much. */
  take({ who, isAccount }: RequestSender, bytes: number): boolean {
    const own = (this.#bySender.get(who) ?? 0) + bytes
    const strange = this.#ofStrangers + (isAccount ? 0 : bytes)
    if (own > this.#perSender || this.#taken + bytes > this.#inAll) return false
    if (!isAccount && strange > shareOfStrangers * this.#inAll) return false
    this.#taken += bytes
    this.#ofStrangers = strange
    this.#bySender.set(who, own)
    return true
  }

  giveBack({ who, isAccount }: RequestSender, bytes: number): void {
    const own = (this.#bySender.get(who) ?? 0) - bytes
    if (own > 0) this.#bySender.set(who, own)
    else this.#bySender.delete(who)
    this.#taken -= bytes
    if (!isAccount) this.#ofStrangers -= bytes
  }
}
