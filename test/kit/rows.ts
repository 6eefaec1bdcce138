/**
 * Tests as tables whose rows follow the contract or the spec: a row sends a request and has the expected answer, or
 * waits for an endpoint that does not exist yet. A waiting row fails as soon as its endpoint is in the table of routes and
 * no other row has its name, so that none is forgotten.
 */
import type { Test } from "tap"
import type { ParamSet } from "../../src/api/params.ts"
import { endpoints as routes } from "../../src/chat/features.ts"
import { type Account, type Fields, formOf } from "./client.ts"
import { bodyOf, ask as request } from "./raw-http.ts"
import { recordsIn } from "./records.ts"
import { checkAnswerOnce } from "./wire-schemas.ts"
import type { Name, TestServer } from "./with-server.ts"

export interface Scene {
  readonly server: TestServer
  readonly ask: Asking
}

export interface Asked {
  readonly row: string
  readonly ask: (scene: Scene) => Promise<unknown>
  /** The expected value, as a pattern for tap's `match`. */
  readonly want: unknown
}
export interface Waiting {
  readonly row: string
  /** `METHOD /path` of the endpoint, as the table of routes will have it. */
  readonly waiting: string
}
export type Row = Asked | Waiting

/** A route without the names of its path parameters, which a waiting row cannot know. */
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{[^}]*\}/g, "{}")}`
const standing = new Set(routes.map(({ method, path }) => shapeOf(method, path)))

/** Whether the table of routes has the endpoint that a row waits for. */
export const isStanding = (waiting: string): boolean => {
  const [method = "", path = ""] = waiting.split(" ")
  return standing.has(shapeOf(method, path))
}

export const walk = async (t: Test, rows: ReadonlyArray<Row>, scene: Scene): Promise<void> => {
  const written = new Set(rows.filter((row) => !("waiting" in row)).map(({ row }) => row))
  for (const row of rows) {
    if ("waiting" in row && written.has(row.row)) continue
    if ("waiting" in row) t.notOk(isStanding(row.waiting), `${row.row}: ${row.waiting} exists now, so write the row`)
    else t.match(await row.ask(scene), row.want, row.row)
  }
}

export interface Request {
  readonly method?: string
  /** The path below /api/v1, unless it begins with /json/ or /static/; may contain a query. */
  readonly path: string
  /** The requester; null: without the Authorization header, which `headers` may have instead. */
  readonly as?: Name | Account | null
  readonly query?: Fields
  /** Urlencoded. */
  readonly form?: Fields
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Heard {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

export const basic = ({ email, key }: Account): string => `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`

/** Sends a request exactly as described. An answer without a body, as to HEAD or OPTIONS, has `{}` as its body. */
export const asking =
  (server: TestServer) =>
  async ({ method = "GET", path, as = "hamlet", query, form, body, headers = {} }: Request): Promise<Heard> => {
    const account = typeof as === "string" ? server.as(as).account : as
    const search = query === undefined ? "" : `?${formOf(query)}`
    const answer = await request(server.port, {
      method,
      path: `${path.startsWith("/json/") || path.startsWith("/static/") ? "" : "/api/v1"}${path}${search}`,
      headers: {
        ...(account === null ? {} : { Authorization: basic(account) }),
        ...(form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(form === undefined ? (body === undefined ? {} : { body }) : { body: `${formOf(form)}` }),
    })
    if (answer === undefined) throw new Error(`${method} ${path}: the connection was cut`)
    const hasBody = answer.body !== ""
    const meant = form?.["method"] ?? method
    // A raw body is not parsed here and may name another method, so its answer cannot be checked by route.
    if (hasBody && body === undefined && path.startsWith("/"))
      checkAnswerOnce(String(meant), path, answer.status, bodyOf(answer), answer.body)
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: hasBody ? bodyOf(answer) : {},
    }
  }
export type Asking = ReturnType<typeof asking>

const plainValues = { text: "text", integer: 1, boolean: true, json: [], choice: "" } as const

/** A value for each parameter that a route requires, valid for its kind only. */
export const plainFields = ({ params }: { readonly params: ParamSet }): Fields =>
  Object.fromEntries(
    Object.values(params)
      .filter(({ required }) => required)
      .map(({ name, kind }) => [name, plainValues[kind]]),
  )

/** A refusal as a pattern for tap's `match`; default: 400 BAD_REQUEST. */
export const refusal = (msg: string | RegExp, code = "BAD_REQUEST", status = 400, fields: Fields = {}) => ({
  status,
  body: { result: "error", msg, code, ...fields },
})

export const sceneOf = (server: TestServer): Scene => ({ server, ask: asking(server) })

/** Sends a message by hamlet to the channel `lobby`; `fields` replace or add parameters. */
export const send = (
  { ask }: Scene,
  fields: Fields,
  further: { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Heard> => {
  const form = { type: "channel", to: "lobby", topic: "t", content: "c", ...fields }
  return ask({ method: "POST", path: "/messages", form, ...further })
}

/** As `send`; answers the message as hamlet reads it, with its Markdown unrendered. */
export const sent = async (scene: Scene, fields: Fields, further = {}): Promise<Fields> => {
  const { status, body } = await send(scene, fields, further)
  if (status !== 200) throw new Error(JSON.stringify(body))
  const asked = { apply_markdown: false, allow_empty_topic_name: true }
  const answer = await scene.server.as("hamlet").must.get(`/messages/${String(body["id"])}`, asked)
  const [message = {}] = recordsIn([answer["message"]])
  return message
}
