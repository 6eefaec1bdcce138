/**
 * Another server of the API, with long polls alone and answers in chunks, that hands out events as a test says: for what
 * Parley itself does not do.
 */
import { createServer, type ServerResponse } from "node:http"
import type { Test } from "tap"
import { listen } from "../../client/scripted-server.ts"

interface Held {
  readonly events: Array<object>
  waiting: ServerResponse | null
  last: number
}

export interface OtherServer {
  readonly url: string
  /** Number of queues that were ended by their reader. */
  readonly left: () => number
  readonly isArchived: () => boolean
  /** How often a socket was asked for. */
  readonly socketsAsked: () => number
}

export interface Manners {
  /** Whether a message, by its order, is never answered. */
  readonly isSilent?: (message: number) => boolean
  /** The most queues that it registers. */
  readonly mostQueues?: number
  /** How it refuses sockets; as any path that it does not know where this is absent. */
  readonly socketAnswer?: readonly [status: number, msg: string]
}

/** `times`: how often a queue, by its order, gets a message, by its order. */
export const otherServer = async (
  t: Test,
  times: (queue: number, message: number) => number,
  { isSilent = () => false, mostQueues = Number.POSITIVE_INFINITY, socketAnswer = [404, "no"] }: Manners = {},
): Promise<OtherServer> => {
  const queues: Array<Held> = []
  let [messages, left, isArchived, socketsAsked] = [0, 0, false, 0]

  const answer = (response: ServerResponse, status: number, fields: object) => {
    const head = status === 200 ? { result: "success", msg: "" } : { result: "error", msg: "no", code: "BAD_REQUEST" }
    const text = JSON.stringify({ ...head, ...fields })
    response.writeHead(status, { "Content-Type": "application/json" })
    response.write(text.slice(0, 10))
    response.end(text.slice(10))
  }
  const give = (held: Held) => {
    const { waiting } = held
    if (waiting === null || held.events.length === 0) return
    held.waiting = null
    answer(waiting, 200, { events: held.events.splice(0), queue_id: "after the events" })
  }
  const post = (content: string | null) => {
    const message = messages++
    for (const [index, held] of queues.entries()) {
      for (let n = times(index, message); n > 0; n--)
        held.events.push({ type: "message", id: ++held.last, message: { content } })
      give(held)
    }
    return { id: message + 1 }
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://other")
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      const given = new URLSearchParams(body)
      const held = queues[Number(searchParams.get("queue_id") ?? -1)]
      switch (`${request.method} ${pathname.replace("/api/v1", "")}`) {
        case "GET /server_settings":
          return answer(response, 200, { zulip_version: "9.4" })
        case "GET /users/me":
          return answer(response, 200, { user_id: 7 })
        case "POST /users/me/subscriptions":
          return answer(response, 200, { subscribed: {}, already_subscribed: {} })
        case "GET /get_stream_id":
          return answer(response, 200, { stream_id: 3 })
        case "DELETE /streams/3":
          isArchived = true
          return answer(response, 200, {})
        case "POST /register":
          if (queues.length >= mostQueues) return answer(response, 400, {})
          queues.push({ events: [], waiting: null, last: 0 })
          return answer(response, 200, { queue_id: String(queues.length - 1), last_event_id: 0 })
        case "POST /messages":
          if (isSilent(messages)) return void post(given.get("content"))
          return answer(response, 200, post(given.get("content")))
        case "GET /events/ws":
          socketsAsked++
          return answer(response, socketAnswer[0], { msg: socketAnswer[1] })
        case "GET /events":
          if (held === undefined) return answer(response, 400, { code: "BAD_EVENT_QUEUE_ID" })
          if (searchParams.get("dont_block") === "true")
            return answer(response, 200, { events: held.events.splice(0), queue_id: searchParams.get("queue_id") })
          held.waiting = response
          return give(held)
        case "DELETE /events":
          left++
          return answer(response, 200, {})
        default:
          return answer(response, 404, {})
      }
    })
  })
  return {
    url: await listen(t, server),
    left: () => left,
    isArchived: () => isArchived,
    socketsAsked: () => socketsAsked,
  }
}
