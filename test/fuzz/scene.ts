/** What inputs are aimed at: accounts of the demo organization, a channel with messages, a queue. */
import * as Option from "effect/Option"
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

/** All that is needed of a server. */
export type Address = Pick<FuzzServer, "origin" | "port">

const ask = async (
  server: Address,
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

const register = async (server: Address, key: string) => {
  const { queue_id, last_event_id } = Registered(
    await ask(server, key, "POST", "/register", { event_types: '["message"]', fetch_event_types: "[]" }),
  )
  return { id: queue_id, last: last_event_id }
}

const keyOf = async (server: Address, username: string): Promise<string> => {
  const { email, api_key } = Key(await ask(server, null, "POST", "/dev_fetch_api_key", { username }))
  return `Basic ${Buffer.from(`${email}:${api_key}`).toString("base64")}`
}

export const makeScene = async (server: Address, host = "demo.example"): Promise<Scene> => {
  const of = (name: string) => keyOf(server, `${name}@${host}`)
  const [owner, member, guest] = [await of("owner"), await of("member"), await of("guest")]
  const page = { anchor: "newest", num_before: "20", num_after: "0" }
  const { messages } = Messages(await ask(server, owner, "GET", "/messages", page))
  const { streams } = Streams(await ask(server, owner, "GET", "/streams"))
  const { members } = Members(await ask(server, owner, "GET", "/users"))
  return {
    // A bot's key is the member's: bots ask by the same endpoints, and one may be taken away.
    keys: { owner, member, guest, bot: await of("bot").catch(() => member) },
    host: `127.0.0.1:${server.port}`,
    messages: [...messages.map(({ id }) => id), 1, 0],
    channels: [...streams.map(({ stream_id }) => stream_id), 4711],
    users: [...members.map(({ user_id }) => user_id), 4711],
    queue: await register(server, member),
    emails: ["owner", "member", "guest"].map((name) => `${name}@${host}`),
  }
}

const Listed = Schema.decodeUnknownSync(
  Schema.Struct({
    direct_admins: Schema.Array(Schema.Struct({ email: Schema.String })),
    direct_users: Schema.Array(Schema.Struct({ email: Schema.String })),
  }),
)
const Self = Schema.decodeUnknownOption(Schema.Struct({ role: Schema.Number, is_active: Schema.Boolean }))

const roleOf = async (server: Address, key: string): Promise<number | null> =>
  Option.match(Self(await ask(server, key, "GET", "/users/me").catch(() => null)), {
    onNone: () => null,
    onSome: ({ role }) => role,
  })

const isOf = {
  owner: (role: number) => role === 100,
  member: (role: number) => role > 100 && role < 600,
  guest: (role: number) => role === 600,
}

/**
 * The keys with which the next inputs ask. An input may have given somebody another address, key or role, or have deactivated
 * them: then another person of that role takes their place, or nobody where the role has nobody left.
 */
const withKeys = async (server: Address, scene: Scene): Promise<Scene> => {
  const names = ["owner", "member", "guest"] as const
  const found = new Map<(typeof names)[number], string>()
  for (const name of names) {
    const role = await roleOf(server, scene.keys[name])
    if (role !== null && isOf[name](role)) found.set(name, scene.keys[name])
  }
  if (found.size < names.length) {
    const { direct_admins, direct_users } = Listed(await ask(server, null, "GET", "/dev_list_users"))
    for (const { email } of [...direct_admins, ...direct_users]) {
      const lacking = names.filter((name) => !found.has(name))
      if (lacking.length === 0) break
      const key = await keyOf(server, email)
      const role = await roleOf(server, key)
      const name = lacking.find((each) => role !== null && isOf[each](role))
      if (name !== undefined) found.set(name, key)
    }
  }
  const owner = found.get("owner")
  if (owner === undefined) throw new Error("the organization has no owner who can ask")
  const member = found.get("member") ?? owner
  const keys = { ...scene.keys, owner, member, guest: found.get("guest") ?? member }
  return { ...scene, keys }
}

/** What inputs have ended is another one then: keys, and the queue. */
export const nextScene = async (server: Address, before: Scene): Promise<Scene> => {
  const scene = await withKeys(server, before)
  return { ...scene, queue: await register(server, scene.keys.member) }
}

/** Whether a message still comes to whoever waits for it, in a channel that no input has had. */
export const stillWorks = async (server: Address, scene: Scene, round: number): Promise<void> => {
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
