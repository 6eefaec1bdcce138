/**
 * What the benchmark asks of a server beside what it measures: registers and first messages, through the client for programs
 * (src/client). Requests that are measured are http.ts's, or bytes: fetch costs three times as much.
 */
import { Agent, fetch as fetchBy } from "undici"
import { Client } from "../../src/client/index.ts"
import type { Account } from "./http.ts"

/** Thousands of queues are registered at once. */
const connections = 16
let agent = new Agent({ connections })

export const controlOf = (port: number, { email, key }: Account): Client =>
  new Client({
    server: `http://127.0.0.1:${port}`,
    account: { email, apiKey: key },
    fetch: (input, init) => fetchBy(String(input), { ...init, dispatcher: agent }),
  })

/** Registers a queue for one type of event. Without the capability it would get no typing events of channels. */
export const register = async (port: number, account: Account, type: string) => {
  const { queue_id, last_event_id } = await controlOf(port, account).call("POST /register", {
    event_types: [type],
    fetch_event_types: [type],
    client_capabilities: { stream_typing_notifications: true },
  })
  if (typeof queue_id !== "string" || last_event_id === undefined) throw new Error("no queue was registered")
  return { queue_id, last_event_id }
}

/** Sends a message to a channel, without what a retry would be known by; answers its id. */
export const send = async (port: number, account: Account, channel: string, topic: string, content: string) => {
  const message = { type: "channel", to: channel, topic, content } as const
  const { id } = await controlOf(port, account).call("POST /messages", message)
  return id
}

/** Sends a channel's first message, which changes the channel too, before anything is counted. */
export const sendFirstMessage = (port: number, account: Account, channel: string, text = "first") =>
  send(port, account, channel, "bench", text)

/** Ends the connections that are there. */
export const leave = (): void => {
  void agent.destroy()
  agent = new Agent({ connections })
}
