/** What inputs are aimed at: accounts of the demo organization, a channel with messages, a queue. */
import * as Schema from "effect/Schema"
import type { FuzzServer } from "./fuzz-server.ts"
import type { Scene } from "./input.ts"

const Key = Schema.decodeUnknownSync(Schema.Struct({ api_key: Schema.String, email: Schema.String }))
const Registered = Schema.decodeUnknownSync(Schema.Struct({ queue_id: Schema.String, last_event_id: Schema.Number }))
const Messages = Schema.decodeUnknownSync(
  Schema.Struct({ messages: Schema.Array(Schema.Struct({ id: Schema.Number })) }),
)
const Streams = Schema.decodeUnknownSync(
  Schema.Struct({ streams: Schema.Array(Schema.Struct({ stream_id: Schema.Number })) }),
)
const Members = Schema.decodeUnknownSync(
  Schema.Struct({ members: Schema.Array(Schema.Struct({ user_id: Schema.Number })) }),
)
const Sent = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.Number }))
const Events = Schema.decodeUnknownSync(
  Schema.Struct({
    events: Schema.Array(
      Schema.Struct({ type: Schema.String, message: Schema.optional(Schema.Struct({ id: Schema.Number })) }),
    ),
  }),
)

const ask = async (
  server: FuzzServer,
  key: string | null,
  method: string,
  path: string,
  form: Record<string, string> = {},
) => {
  const body = new URLSearchParams(form)
  const isRead = method === "GET"
  const answer = await fetch(`${server.origin}/api/v1${path}${isRead ? `?${body}` : ""}`, {
    method,
    headers: key === null ? {} : { Authorization: key },
    ...(isRead ? {} : { body }),
    signal: AbortSignal.timeout(60_000),
  })
  const said: unknown = await answer.json()
  if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(said)}`)
  return said
}

const register = async (server: FuzzServer, key: string) => {
  const { queue_id, last_event_id } = Registered(
    await ask(server, key, "POST", "/register", { event_types: '["message"]', fetch_event_types: "[]" }),
  )
  return { id: queue_id, last: last_event_id }
}

export const makeScene = async (server: FuzzServer): Promise<Scene> => {
  const keyOf = async (name: string): Promise<string> => {
    const { email, api_key } = Key(
      await ask(server, null, "POST", "/dev_fetch_api_key", { username: `${name}@demo.example` }),
    )
    return `Basic ${Buffer.from(`${email}:${api_key}`).toString("base64")}`
  }
  const [owner, member, guest] = [await keyOf("owner"), await keyOf("member"), await keyOf("guest")]
  const page = { anchor: "newest", num_before: "20", num_after: "0" }
  const { messages } = Messages(await ask(server, owner, "GET", "/messages", page))
  const { streams } = Streams(await ask(server, owner, "GET", "/streams"))
  const { members } = Members(await ask(server, owner, "GET", "/users"))
  return {
    // A bot's key is the member's: bots ask by the same endpoints, and one may be taken away.
    keys: { owner, member, guest, bot: await keyOf("bot").catch(() => member) },
    host: `127.0.0.1:${server.port}`,
    messages: [...messages.map(({ id }) => id), 1, 0],
    channels: [...streams.map(({ stream_id }) => stream_id), 4711],
    users: [...members.map(({ user_id }) => user_id), 4711],
    queue: await register(server, member),
    emails: ["owner", "member", "guest"].map((name) => `${name}@demo.example`),
  }
}

/** The queue of the scene ends where an input ends it: another one then. */
export const withQueue = async (server: FuzzServer, scene: Scene): Promise<Scene> => ({
  ...scene,
  queue: await register(server, scene.keys.member),
})

/** Whether a message still comes to whoever waits for it, in a channel that no input has had. */
export const stillWorks = async (server: FuzzServer, scene: Scene, round: number): Promise<void> => {
  const { owner } = scene.keys
  const name = `after ${round}`
  await ask(server, owner, "POST", "/users/me/subscriptions", { subscriptions: JSON.stringify([{ name }]) })
  const queue = await register(server, owner)
  const { id } = Sent(
    await ask(server, owner, "POST", "/messages", { type: "channel", to: name, topic: "t", content: "still here" }),
  )
  for (let last = queue.last, tries = 0; tries < 20; tries++) {
    const { events } = Events(
      await ask(server, owner, "GET", "/events", { queue_id: queue.id, last_event_id: String(last) }),
    )
    if (events.some(({ message }) => message?.id === id)) return
    last += events.length
  }
  throw new Error("a message does not come to whoever waits for it")
}
