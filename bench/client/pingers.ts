/**
 * People who tell that they are there, one after the other at an even pace, so that each comes once in a round; and who read
 * who else is, as clients do: what is newer than what they were answered before.
 */
import { Agent, request } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { type Account, authorization } from "./http.ts"

const Wanted = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    accounts: Schema.Array(Schema.Struct({ email: Schema.String, key: Schema.String })),
    perSecond: Schema.Number,
    seconds: Schema.Number,
    pingOnly: Schema.Boolean,
    /** What they tell; a word that is none is refused, after all else that a request costs. */
    status: Schema.String,
    gzip: Schema.Boolean,
    /** Asks for `/health` instead, of which all is known: what the network alone costs. */
    health: Schema.Boolean,
  }),
)
type Orders = ReturnType<typeof Wanted>

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
/** The greatest id that each was answered. */
const lastIds: Array<number> = []
/** Who is next. */
let next = 0

interface Answer {
  readonly status: number
  readonly bytes: number
  /** The end of it, where the id stands. */
  readonly end: string
}

const send = ({ port, gzip, health }: Orders, account: Account, form: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: authorization(account).slice("Authorization: ".length),
      "Accept-Encoding": gzip ? "gzip" : "identity",
    }
    const asked = request({
      port,
      host: "127.0.0.1",
      method: health ? "GET" : "POST",
      path: health ? "/health" : "/api/v1/users/me/presence",
      agent,
      headers,
    })
    asked.on("error", reject)
    asked.on("response", (response) => {
      let bytes = 0
      let tail: ReadonlyArray<Buffer> = []
      response.on("data", (part: Buffer) => {
        bytes += part.length
        tail = [...tail.slice(-1), part]
      })
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, bytes, end: Buffer.concat(tail).toString() }),
      )
    })
    asked.end(health ? "" : form)
  })

const ping = async (orders: Orders, who: number): Promise<Answer> => {
  const account = orders.accounts[who]
  if (account === undefined) throw new Error(`there is nobody ${who}`)
  const { pingOnly, gzip, status } = orders
  const form = `status=${status}&new_user_input=true&ping_only=${pingOnly}&last_update_id=${lastIds[who] ?? -1}`
  const answer = await send(orders, account, form)
  // Who reads compressed answers here does not unpack them; they were there a round ago, which is all the same later.
  const id = gzip ? undefined : /"presence_last_update_id":(\d+)/.exec(answer.end)?.[1]
  if (id !== undefined) lastIds[who] = Number(id)
  return answer
}

const pingAll = async (orders: Orders) => {
  const { accounts, perSecond, seconds } = orders
  const count = Math.round(perSecond * seconds)
  const began = performance.now()
  const times: Array<number> = []
  let bytes = 0
  let failed = 0
  const under = new Set<Promise<void>>()
  const one = async (who: number): Promise<void> => {
    const from = performance.now()
    const answer = await ping(orders, who)
    times.push(performance.now() - from)
    bytes += answer.bytes
    if (answer.status !== 200) failed += 1
  }
  for (let n = 0; n < count; n++) {
    const late = began + (1000 * n) / perSecond - performance.now()
    if (late > 1) await wait(late)
    const running = one(next)
    under.add(running)
    void running.finally(() => under.delete(running))
    next = (next + 1) % accounts.length
    if (under.size >= 64) await Promise.race(under)
  }
  await Promise.all(under)
  return { count, seconds: (performance.now() - began) / 1000, bytes, failed, times }
}

serveCommands({ ping: (wanted) => pingAll(Wanted(wanted)) }, async () => agent.destroy())
