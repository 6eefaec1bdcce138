/** Keep-alive connections that post, one request at a time each. */
import { connect, type Socket } from "node:net"

export class Sender {
  readonly #idle: Array<Socket> = []
  readonly #all: Array<Socket> = []
  readonly #onAnswer: (status: number, text: string) => void

  constructor(port: number, connections: number, onAnswer: (status: number, text: string) => void) {
    this.#onAnswer = onAnswer
    for (let index = 0; index < connections; index++) {
      const socket = connect(port, "127.0.0.1")
      socket.setNoDelay(true)
      let text = ""
      socket.on("data", (data) => {
        text += data.toString("latin1")
        const body = text.indexOf("\r\n\r\n") + 4
        const size = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (body < 4 || !(text.length >= body + size)) return
        const answer = text
        text = ""
        this.#idle.push(socket)
        this.#onAnswer(Number(answer.slice(9, 12)), answer.slice(body))
      })
      socket.on("error", (error) => this.#onAnswer(0, error.message))
      this.#idle.push(socket)
      this.#all.push(socket)
    }
  }

  /** False: all connections wait for an answer. */
  send(request: string): boolean {
    const socket = this.#idle.pop()
    if (socket === undefined) return false
    socket.write(request, "latin1")
    return true
  }

  close(): void {
    for (const socket of this.#all) socket.destroy()
  }
}
