/**
 * Sends requests as one user: takes form parameters, answers the status and the parsed body. No user of src/client: tests
 * send what its types forbid, and must see each answer of a request that is made once.
 */
import { Agent, request as openRequest } from "node:http"
import * as Predicate from "effect/Predicate"
import { checkAnswerOnce } from "./wire-schemas.ts"

/** Parameters. Lists and objects are sent as JSON, everything else as text; undefined is left out. */
export type Fields = Readonly<Record<string, unknown>>

/** Values by header name, in upper or lower case. */
export interface Headers {
  readonly get: (name: string) => string | null
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The JSON body. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Account {
  readonly email: string
  readonly key: string
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

export const formOf = (fields: Fields): URLSearchParams => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, textOf(value))
  return form
}

/** Connections are kept between requests, as clients do. */
const agent = new Agent({ keepAlive: true })

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal?: AbortSignal
}
interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One request over HTTP. `fetch` costs three times as much, and the tests make a hundred thousand requests. */
const exchange = (url: string, { body, ...options }: Sent): Promise<Received> =>
  new Promise((resolve, reject) => {
    // By itself node sends the length of a body with some methods only.
    const headers = { ...options.headers, "Content-Length": Buffer.byteLength(body) }
    const sent = openRequest(url, { agent, ...options, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const get = (name: string) => response.headers[name.toLowerCase()]?.toString() ?? null
        const text = Buffer.concat(chunks).toString("utf8")
        resolve({ status: response.statusCode ?? 0, headers: { get }, text })
      })
    })
    sent.on("error", (error) => {
      // A server closes connections that were silent for a while, and this one may have been closed while it was taken up again.
      const isClosed = sent.reusedSocket && "code" in error && error.code === "ECONNRESET"
      if (isClosed && options.method === "GET") exchange(url, { body, ...options }).then(resolve, reject)
      else reject(error)
    })
    sent.end(body)
  })

export const request = async (
  origin: string,
  method: string,
  path: string,
  fields: Fields,
  options: {
    readonly account?: Account
    readonly signal?: AbortSignal
    readonly headers?: Record<string, string>
  } = {},
): Promise<Answer> => {
  const form = formOf(fields).toString()
  const inQuery = method === "GET" || method === "HEAD"
  const { account, signal } = options
  const { status, headers, text } = await exchange(
    `${origin}/api/v1${path}${inQuery && form !== "" ? `?${form}` : ""}`,
    {
      method,
      headers: {
        ...(account === undefined
          ? {}
          : { Authorization: `Basic ${Buffer.from(`${account.email}:${account.key}`).toString("base64")}` }),
        ...(inQuery ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        ...options.headers,
      },
      body: inQuery ? "" : form,
      ...(signal === undefined ? {} : { signal }),
    },
  )
  const body: unknown = JSON.parse(text)
  if (!Predicate.isObject(body)) throw new Error(`${method} ${path} answered something else than a JSON object`)
  checkAnswerOnce(method, path, status, body, text)
  return { status, headers, body }
}

/** The HTTP methods of a signed-in user. */
export const personOf = (origin: string, account: Account) => {
  const send =
    (method: string) =>
    (path: string, fields: Fields = {}, signal?: AbortSignal) =>
      request(origin, method, path, fields, { account, ...(signal === undefined ? {} : { signal }) })
  const must =
    (method: string) =>
    async (path: string, fields: Fields = {}) => {
      const answer = await send(method)(path, fields)
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
  return {
    account,
    get: send("GET"),
    post: send("POST"),
    put: send("PUT"),
    patch: send("PATCH"),
    delete: send("DELETE"),
    /** The same methods; throw if the answer is not a success. */
    must: { get: must("GET"), post: must("POST"), put: must("PUT"), patch: must("PATCH"), delete: must("DELETE") },
    /** Sends a message to a channel; answers its id. */
    send: async (channel: string, content: string, fields: Fields = {}): Promise<number> => {
      const body = await must("POST")("/messages", { type: "channel", to: channel, topic: "t", content, ...fields })
      return Number(body["id"])
    },
  }
}
export type Person = ReturnType<typeof personOf>
