/** Requests of the benchmark's client: raw text for the measurement, ordinary requests for its preparation. */
import { Agent, request } from "node:http"
import * as Schema from "effect/Schema"

export interface Account {
  readonly email: string
  readonly key: string
}

export const authorization = ({ email, key }: Account): string =>
  `Authorization: Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`

/** A whole request with a form as its body. */
export const post = (port: number, path: string, headers: ReadonlyArray<string>, form: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${form.length}`,
    ...headers,
    "",
    form,
  ].join("\r\n")

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a request with its parameters as a form; answers the text of the answer, rejects if it is not a success. */
export const askBy = (
  method: "GET" | "POST" | "PATCH",
  port: number,
  path: string,
  account: Account,
  form: string,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: authorization(account).slice("Authorization: ".length),
      // Compressing is measured by the scenario `register`.
      "Accept-Encoding": "identity",
    }
    const isQuery = method === "GET"
    const target = isQuery ? `${path}?${form}` : path
    const asked = request({ port, host: "127.0.0.1", method, path: target, agent, headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const text = Buffer.concat(parts).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${path}: ${response.statusCode} ${text}`))
      })
    })
    asked.on("error", reject)
    asked.end(isQuery ? "" : form)
  })

export const ask = (port: number, path: string, account: Account, form: string): Promise<string> =>
  askBy("POST", port, path, account, form)

const Registered = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ queue_id: Schema.String, last_event_id: Schema.Number })),
)

/** Without this capability a queue gets no typing events of channels. */
const capabilities = encodeURIComponent(JSON.stringify({ stream_typing_notifications: true }))

/** Registers a queue for one type of event. */
export const register = async (port: number, account: Account, type: string) => {
  const types = encodeURIComponent(JSON.stringify([type]))
  const form = `event_types=${types}&fetch_event_types=${types}&client_capabilities=${capabilities}`
  return Registered(await ask(port, "/api/v1/register", account, form))
}

/** Sends a channel's first message, which changes the channel too, before anything is counted. */
export const sendFirstMessage = (port: number, account: Account, channel: string): Promise<string> =>
  ask(port, "/api/v1/messages", account, `type=channel&to=${encodeURIComponent(channel)}&topic=bench&content=first`)

export const leave = (): void => agent.destroy()
