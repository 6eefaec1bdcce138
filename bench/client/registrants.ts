/**
 * The client's process of `register`: full registers as a web client asks for them, one after the other or all at once,
 * each on a connection of its own. Some answers are kept and read whole after the clock has stopped; of the others only
 * status, size and end.
 */
import { setPriority } from "node:os"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import * as Schema from "effect/Schema"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { capabilityNames } from "../../src/events/client-capabilities.ts"
import { serveCommands } from "../remote.ts"
import { request } from "../siege/requests.ts"
import { Account } from "../siege/target.ts"
import { AnswerReader, type WholeAnswer } from "./answer-reader.ts"
import { addressOf } from "./returning.ts"

const Orders = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    /** The people who register. */
    people: Schema.Array(Account),
    gzip: Schema.Boolean,
    /** Whether all ask at once, or each when the one before has its answer. */
    together: Schema.Boolean,
    /** How often each asks, again as soon as they have their answer. */
    rounds: Schema.Number,
    users: Schema.Number,
    channels: Schema.Number,
    patienceSeconds: Schema.Number,
  }),
)
type Orders = ReturnType<typeof Orders>

const form = {
  apply_markdown: "true",
  client_gravatar: "true",
  slim_presence: "true",
  include_subscribers: "true",
  client_capabilities: JSON.stringify(Object.fromEntries(capabilityNames.map((name) => [name, true]))),
}

const low = 10
/** One answer in so many is read whole. */
const stride = 100

const State = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      result: Schema.Literal("success"),
      queue_id: Schema.String,
      realm_users: Schema.Array(Schema.Unknown),
      subscriptions: Schema.Array(Schema.Struct({ subscribers: Schema.Array(Schema.Number) })),
      never_subscribed: Schema.Array(Schema.Struct({ subscribers: Schema.Array(Schema.Number) })),
      unsubscribed: Schema.Array(Schema.Unknown),
    }),
  ),
)

const plain = async ({ encoding, body }: WholeAnswer): Promise<string> => {
  if (body === null) throw new Error("the answer was not kept")
  return (encoding === "gzip" ? await promisify(gunzip)(body) : body).toString()
}

/** Throws unless the state is whole. */
const check = (text: string, { users, channels }: Orders): void => {
  const { realm_users, subscriptions, never_subscribed } = State(text)
  const seen = subscriptions.length + never_subscribed.length
  if (realm_users.length < users) throw new Error(`${realm_users.length} of ${users} users`)
  if (seen !== channels) throw new Error(`${seen} of ${channels} channels`)
  if (subscriptions.some(({ subscribers }) => subscribers.length === 0))
    throw new Error("a channel without subscribers")
}

const ask = ({ port, gzip }: Orders, account: Account, index: number): Promise<WholeAnswer | string> =>
  new Promise((resolve) => {
    const headers = gzip ? ["Accept-Encoding: gzip"] : []
    new AnswerReader({
      port,
      from: addressOf(index),
      request: request("POST", "/api/v1/register", { auth: account, form, headers }),
      keepsBody: index % stride === 0,
      onAnswer: resolve,
      onLost: resolve,
    })
  })

const register = async (orders: Orders) => {
  setPriority(low)
  const { people, together, rounds, patienceSeconds } = orders
  const answers: Array<WholeAnswer | string> = []
  const times: Array<number> = []
  const began = performance.now()
  const cpu = cpuOf(process.pid)
  const one = async (account: Account, index: number) => {
    for (let round = 0; round < rounds; round++) {
      const from = performance.now()
      answers.push(await ask(orders, account, index))
      times.push(performance.now() - from)
    }
  }
  const late = new Promise((resolve) => setTimeout(resolve, 1000 * patienceSeconds).unref())
  if (together) await Promise.race([Promise.all(people.map(one)), late])
  else for (const [index, account] of people.entries()) await one(account, index)
  const seconds = (performance.now() - began) / 1000
  const busy = (cpuOf(process.pid) - cpu) / 1e6 / seconds

  const statuses: Record<string, number> = {}
  const encodings = new Set<string>()
  const queues = new Set<string>()
  let bytes = 0
  let whole = 0
  const noAnswer = people.length * rounds - answers.length
  if (noAnswer > 0) statuses["no answer"] = noAnswer
  for (const answer of answers) {
    const status = typeof answer === "string" ? `lost: ${answer}` : `${answer.status}`
    statuses[status] = (statuses[status] ?? 0) + 1
    if (typeof answer === "string" || answer.status !== 200) continue
    bytes += answer.bytes
    whole++
    encodings.add(answer.encoding)
    const queue = answer.encoding === "" ? /"queue_id":"([^"]+)"/.exec(answer.end.toString())?.[1] : undefined
    if (queue !== undefined) queues.add(queue)
    if (answer.body !== null) check(await plain(answer), orders)
  }
  if (encodings.has("") && queues.size < whole) throw new Error(`${queues.size} queues for ${whole} answers`)
  return { seconds, busy, statuses, whole, bytes, encodings: [...encodings], times }
}

serveCommands({ register: (orders) => register(Orders(orders)) }, async () => {})
