/** Keep-alive connections that post, one request at a time each. One that ends is replaced, and its request has failed. */
import type { Socket } from "node:net"
import { type HttpAnswer, parseAnswer } from "./http-answer.ts"
import { connectPlainly, type ServerAddress } from "./server-address.ts"

/** `status` 0: no answer came, and `body` says why. `number` is that of the request. */
export type OnAnswer = (answer: HttpAnswer, number: number) => void

const unanswered = (why: string): HttpAnswer => ({ status: 0, retryAfter: null, body: Buffer.from(why) })

export class PostSender {
  readonly #place: ServerAddress
  readonly #onAnswer: OnAnswer
  readonly #idle: Array<Socket> = []
  /** All connections, each with the number of the request that it waits for. */
  readonly #all = new Map<Socket, number | null>()
  #isClosed = false

  constructor(place: ServerAddress, connections: number, onAnswer: OnAnswer) {
    this.#place = place
    this.#onAnswer = onAnswer
    for (let index = 0; index < connections; index++) this.#open()
  }

  #open(): void {
    const socket = connectPlainly(this.#place)
    let parts: ReadonlyArray<Buffer> = []
    socket.on("data", (data: Buffer) => {
      const all = parts.length === 0 ? data : Buffer.concat([...parts, data])
      const answer = parseAnswer(all)
      parts = answer === null ? [all] : []
      if (answer !== null) this.#answered(socket, answer)
    })
    let why = "the connection was closed"
    socket.on("error", (error) => {
      why = error.message
    })
    socket.on("close", () => this.#ended(socket, why))
    this.#idle.push(socket)
    this.#all.set(socket, null)
  }

  #answered(socket: Socket, answer: HttpAnswer): void {
    const number = this.#all.get(socket)
    if (number === null || number === undefined) return
    this.#all.set(socket, null)
    this.#idle.push(socket)
    this.#onAnswer(answer, number)
  }

  #ended(socket: Socket, why: string): void {
    const number = this.#all.get(socket)
    this.#all.delete(socket)
    const place = this.#idle.indexOf(socket)
    if (place >= 0) this.#idle.splice(place, 1)
    if (this.#isClosed) return
    if (number !== null && number !== undefined) {
      this.#open()
      this.#onAnswer(unanswered(why), number)
    } else setTimeout(() => this.#isClosed || this.#open(), 100)
  }

  /** False: all connections wait for an answer. */
  send(request: string, number: number): boolean {
    const socket = this.#idle.pop()
    if (socket === undefined) return false
    this.#all.set(socket, number)
    socket.write(request, "latin1")
    return true
  }

  close(): void {
    this.#isClosed = true
    for (const socket of this.#all.keys()) socket.destroy()
  }
}
