/**
 * Room for the queues of a run. How many an account may hold on a server that is measured is found out before anything is: some
 * servers end an account's oldest queues for its newest, so that a crowd would lose a part of itself, and no answer says how many
 * they keep. On a server in development mode further accounts are made by an administrator, or brought back where an earlier run
 * has made them, and deactivated at the end.
 */
import { randomBytes } from "node:crypto"
import { type Account, Client, isRefused, Refused } from "../../client/index.ts"
import { keyOf } from "./accounts.ts"
import { BenchImpossible, reasonOf } from "./bench-impossible.ts"
import type { TellProgress } from "./bench-progress.ts"

const atOnce = 16
/** So many are let to an account by every server; fewer show at the first message. */
export const always = 32

export interface RoomOptions {
  /** Of the account that is asked for. */
  readonly client: Client
  /** How many queues it is to hold. */
  readonly wanted: number
  readonly signal: AbortSignal
  readonly tell: TellProgress
}

interface Registered {
  readonly queue_id: string
  readonly last_event_id: number
}

const inParts = async <A, B>(items: ReadonlyArray<A>, act: (item: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const done: Array<B> = []
  for (let from = 0; from < items.length; from += atOnce)
    done.push(...(await Promise.all(items.slice(from, from + atOnce).map(act))))
  return done
}

/** Null where the server refuses a further one for good. */
const register = async (client: Client, signal: AbortSignal): Promise<Registered | null> => {
  const params = { event_types: ["message"], fetch_event_types: ["message"] }
  try {
    const { queue_id, last_event_id } = await client.call("POST /register", params, { signal })
    return queue_id == null || last_event_id === undefined ? null : { queue_id, last_event_id }
  } catch (error) {
    if (error instanceof Refused && !error.isForNow) return null
    throw error
  }
}

const isThere = async (client: Client, { queue_id, last_event_id }: Registered, signal: AbortSignal) => {
  try {
    await client.call("GET /events", { queue_id, last_event_id, dont_block: true }, { signal })
    return true
  } catch (error) {
    if (isRefused(error, "GET /events") && error.code === "BAD_EVENT_QUEUE_ID") return false
    throw error
  }
}

/** Registers as many queues as are wanted, counts those that are there then, and ends them. */
export const countRoom = async ({ client, wanted, signal, tell }: RoomOptions): Promise<number> => {
  tell(`whether an account may hold ${wanted} queues`)
  const made = await inParts(Array.from({ length: wanted }), () => register(client, signal))
  const queues = made.filter((each) => each !== null)
  const left = await inParts(queues, async (queue) => ({ queue, isThere: await isThere(client, queue, signal) }))
  const held = left.filter(({ isThere }) => isThere)
  await inParts(held, ({ queue: { queue_id } }) =>
    client.call("DELETE /events", { queue_id }, { signal, retries: false }).catch(() => null),
  )
  return held.length
}

/** How many accounts so many queues need. */
export const accountsFor = (queues: number, room: number): number => Math.ceil(queues / Math.max(1, room))

export interface MadeAccounts {
  readonly accounts: ReadonlyArray<Account>
  /** Deactivates them; answers what could not be cleared away. */
  readonly leave: () => Promise<string | null>
}

interface MakeOptions {
  readonly server: string
  /** An administrator. */
  readonly founder: Account
  readonly count: number
  readonly signal: AbortSignal
  readonly tell: TellProgress
}

const leaveMilliseconds = 30_000

/** Makes `count` accounts under names that each run uses again. */
export const makeAccounts = async ({ server, founder, count, signal, tell }: MakeOptions): Promise<MadeAccounts> => {
  const client = new Client({ server, account: founder })
  const host = founder.email.slice(founder.email.lastIndexOf("@") + 1)
  const ids: Array<number> = []
  const leave = async (): Promise<string | null> => {
    const end = AbortSignal.timeout(leaveMilliseconds)
    const left: Array<number> = []
    for (const user_id of ids)
      await client.call("DELETE /users/{user_id}", { user_id }, { signal: end }).catch(() => left.push(user_id))
    return left.length === 0 ? null : `${left.length} accounts of this run are left (parley-bench-...@${host})`
  }
  try {
    const { members } = await client.call("GET /users", {}, { signal })
    const accounts: Array<Account> = []
    for (let n = 1; n <= count; n++) {
      tell("accounts are made", `${n} of ${count}`)
      const email = `parley-bench-${n}@${host}`
      const known = members.find((member) => (member.delivery_email ?? member.email) === email)
      if (known === undefined) {
        const password = randomBytes(24).toString("base64url")
        const made = await client.call("POST /users", { email, password, full_name: `Bench ${n}` }, { signal })
        ids.push(made.user_id)
      } else if (!known.is_active) {
        ids.push(known.user_id)
        await client.call("POST /users/{user_id}/reactivate", { user_id: known.user_id }, { signal })
      }
      accounts.push(await keyOf(client, email, signal))
    }
    return { accounts, leave }
  } catch (error) {
    const left = await leave()
    if (!(error instanceof Refused)) throw error
    throw new BenchImpossible(
      `no further accounts could be made: ${[reasonOf(error), left].filter((each) => each !== null).join("; ")}`,
    )
  }
}
