/** The requests of the attacks as bytes: what each attack of a siege repeats, and what `loop-block` asks one at a time. */
import { authorization } from "../client/http.ts"
import { type Account, host, type Target } from "./target.ts"

export interface Parts {
  readonly auth?: Account
  readonly form?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: ReadonlyArray<string>
}

const encode = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")

export const request = (method: string, path: string, { auth, form, query, headers = [] }: Parts = {}): Buffer => {
  const body = form === undefined ? "" : encode(form)
  const lines = [
    `${method} ${path}${query === undefined ? "" : `?${encode(query)}`} HTTP/1.1`,
    `Host: ${host}`,
    ...(auth === undefined ? [] : [authorization(auth)]),
    ...headers,
    ...(form === undefined
      ? []
      : ["Content-Type: application/x-www-form-urlencoded", `Content-Length: ${body.length}`]),
  ]
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`)
}

type Term = readonly [string, string] | Readonly<Record<string, unknown>>

/** In a form, because a query has no room for a hundred terms. */
export const messages = (auth: Account | undefined, narrow: ReadonlyArray<Term>, most = 100, oldest = false): Buffer =>
  request("POST", "/api/v1/messages", {
    ...(auth === undefined ? {} : { auth }),
    form: {
      method: "GET",
      anchor: oldest ? "oldest" : "newest",
      num_before: oldest ? "0" : `${most}`,
      num_after: oldest ? `${most}` : "0",
      narrow: JSON.stringify(narrow),
    },
  })

export const longMessages = (auth: Account, { channels }: Target): Buffer =>
  messages(auth, [["channel", channels.long.name]], 5000)

/** A text as often as there are ways to write its first letters small or large; all mean the same topic. */
export const spellings = (text: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) =>
    Array.from(text, (letter, place) => ((n >> place) & 1 ? letter.toUpperCase() : letter)).join(""),
  )

export const attackTopic = "bombardment"
export const matchingTerms = spellings(attackTopic, 100).map((topic) => ["topic", topic] as const)

export const publicChannelsRepeated = (auth: Account): Buffer =>
  messages(
    auth,
    Array.from({ length: 100 }, () => ["channels", "public"] as const),
  )

/** A hundred different terms of each kind that a narrow has. */
export const manyTerms = (auth: Account): Buffer =>
  messages(
    auth,
    Array.from({ length: 100 }, (_, n) => {
      const kinds = [
        { operator: "channel", operand: n % 2 === 0 ? "long" : "noise" },
        { operator: "sender", operand: 1 + n },
        { operator: "topic", operand: `topic ${n}` },
        { operator: "dm", operand: Array.from({ length: 500 }, (_, k) => 100 + n + k) },
        { operator: "channels", operand: "public" },
      ]
      return { ...kinds[n % kinds.length], negated: n % 10 !== 0 || n % 5 === 3 }
    }),
  )

export const slowNarrows = (auth: Account, { author, channels }: Target): ReadonlyArray<Buffer> => [
  messages(auth, [["sender", author.email]]),
  messages(auth, [["topic", "plans"]]),
  messages(auth, [
    ["channels", "public"],
    ["topic", "no such topic"],
  ]),
  messages(auth, [
    { operator: "channel", operand: channels.long.name, negated: true },
    { operator: "topic", operand: "nothing", negated: false },
  ]),
  messages(auth, [{ operator: "sender", operand: author.id, negated: true }], 1000),
  messages(auth, [["sender", author.email]], 1000, true),
]

/** Just below the greatest body. */
const deep = 500_000
export const nestedJson = (): Buffer => {
  const body = `method=GET&anchor=newest&num_before=1&num_after=0&narrow=${"[".repeat(deep)}${"]".repeat(deep)}`
  const head = `POST /api/v1/messages HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded`
  return Buffer.from(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
}

export const send = (auth: Account, channel: string, topic: string, content: string): Buffer =>
  request("POST", "/api/v1/messages", { auth, form: { type: "channel", to: channel, topic, content } })

/** Different ones, because those take the longest to be written in ASCII. */
const characters = Array.from({ length: 9_900 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)))

/** A link whose host is 9,900 Chinese characters. */
export const longHost = (auth: Account, { channels }: Target): Buffer =>
  send(auth, channels.noise.name, "links", `http://${characters.join("")}`)

/** As many addresses as a body has room for, all of people who exist. */
export const manyAddresses = (auth: Account): Buffer => {
  const to = Array.from({ length: 47_000 }, (_, n) => `reader${1 + (n % 9)}@bench.example`).join(",")
  const body = `type=direct&content=hello&to=${to}`
  const head = `POST /api/v1/messages HTTP/1.1\r\nHost: ${host}\r\n${authorization(auth)}`
  const type = "Content-Type: application/x-www-form-urlencoded"
  return Buffer.from(`${head}\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
}

export const users = (auth: Account): Buffer => request("GET", "/api/v1/users", { auth })

export const topics = (auth: Account, channel: number): Buffer =>
  request("GET", `/api/v1/users/me/${channel}/topics`, { auth })

/** Everything that register gives, and a queue that nobody will ask for. */
export const registerAll = (auth: Account): Buffer =>
  request("POST", "/api/v1/register", { auth, form: { apply_markdown: "true" } })

/** A queue for messages that match each of a hundred terms. */
export const registerNarrow = (auth: Account): Buffer =>
  request("POST", "/api/v1/register", {
    auth,
    form: { event_types: '["message"]', fetch_event_types: "[]", narrow: JSON.stringify(matchingTerms) },
  })

export const manyIds = (auth: Account, { longMessages: { first, count } }: Target, ids = 5_000): Buffer =>
  request("POST", "/api/v1/messages", {
    auth,
    form: {
      method: "GET",
      message_ids: JSON.stringify(Array.from({ length: ids }, (_, n) => first + (n % (3 * count)))),
    },
  })

/** Five hundred people for a hundred channels; other channels each time, nine times. */
export const subscribe = (auth: Account, n: number): Buffer => {
  const first = 10 + 100 * (n % 9)
  const subscriptions = Array.from({ length: 100 }, (_, k) => ({ name: `channel ${first + k}` }))
  const principals = Array.from({ length: 500 }, (_, k) => 100 + k)
  const form = {
    subscriptions: JSON.stringify(subscriptions),
    principals: JSON.stringify(principals),
    send_new_subscription_messages: "false",
  }
  return request("POST", "/api/v1/users/me/subscriptions", { auth, form })
}

export const signIn = (n: number): Buffer =>
  request("POST", "/api/v1/fetch_api_key", {
    form: { username: `reader${1 + (n % 100)}@bench.example`, password: `a guess ${n}` },
  })
