/**
 * The server to compare with: plain uWebSockets.js without chat. Each post is one event of fixed size, encoded once;
 * at the end of the loop's turn every socket gets one frame with all of them, every poll one answer.
 */
import * as Effect from "effect/Effect"
import { loadUws, type Native } from "../../src/http/network/uws-loader.ts"

const idSpan = 65_536
/** Events kept for polls that come back late. */
const kept = 4096

export const startBare = async (eventBytes: number) => {
  const uws = await Effect.runPromise(loadUws)
  const app = uws.App()
  const sockets = new Set<Native.WebSocket<object>>()
  const polls = new Set<Native.HttpResponse>()
  const events: Array<Buffer> = []
  let pending: Array<Buffer> = []
  let position = 0

  const eventOf = (number: string): Buffer => {
    const head = `{"type":"message","message":{"content":"bench ${number} `
    const tail = `"},"id":${++position * idSpan}}`
    return Buffer.from(head + "x".repeat(Math.max(0, eventBytes - head.length - tail.length)) + tail)
  }
  const frameOf = (some: ReadonlyArray<Buffer>) => Buffer.from(`[${some.join(",")}]`)
  const bodyOf = (some: ReadonlyArray<Buffer>) => `{"result":"success","msg":"","events":${frameOf(some)}}`

  const flush = () => {
    const frame = frameOf(pending)
    const body = Buffer.from(bodyOf(pending))
    pending = []
    for (const socket of sockets) socket.send(frame, false)
    const waiting = [...polls]
    polls.clear()
    for (const poll of waiting) poll.cork(() => poll.end(body))
  }

  const publish = (event: Buffer) => {
    events.push(event)
    if (events.length > 2 * kept) events.splice(0, kept)
    if (pending.push(event) === 1) setImmediate(flush)
  }

  app.ws<object>("/events/ws", {
    compression: uws.DISABLED,
    maxBackpressure: 64 * 1024 * 1024,
    idleTimeout: 120,
    sendPingsAutomatically: true,
    open: (socket) => void sockets.add(socket),
    close: (socket) => void sockets.delete(socket),
  })
  app.get("/events", (response, request) => {
    const last = Number(new URLSearchParams(request.getQuery()).get("last_event_id"))
    const missed = last < 0 ? 0 : position - last / idSpan
    response.onAborted(() => void polls.delete(response))
    if (missed > pending.length) {
      const some = events.slice(-missed)
      response.end(bodyOf(some))
    } else polls.add(response)
  })
  app.post("/send", (response) => {
    response.onAborted(() => {})
    response.onData((chunk, isLast) => {
      if (!isLast) return
      publish(eventOf(Buffer.from(chunk).toString()))
      response.end('{"result":"success","msg":""}')
    })
  })
  const port = await new Promise<number>((resolve, reject) =>
    app.listen("127.0.0.1", 0, (socket) =>
      socket ? resolve(uws.us_socket_local_port(socket)) : reject(new Error("cannot listen")),
    ),
  )
  return { port, publish: (number: number) => publish(eventOf(`${number}`)) }
}
