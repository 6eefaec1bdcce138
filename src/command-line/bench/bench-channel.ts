/** Where it is measured: a server, the accounts, and a channel that all of them are in. */
import { randomBytes } from "node:crypto"
import { type Account, Client, Refused } from "../../client/index.ts"
import { BenchImpossible, reasonOf } from "./bench-impossible.ts"
import type { TellProgress } from "./bench-progress.ts"
import type { BenchFindings } from "./findings.ts"
import type { ServerAddress } from "./wire/server-address.ts"

export interface BenchScene {
  readonly server: string
  readonly place: ServerAddress
  readonly accounts: ReadonlyArray<Account>
  readonly clients: ReadonlyArray<Client>
  readonly channel: string
  readonly findings: BenchFindings
  /** Aborted when somebody interrupts, and by `giveUp`. */
  readonly signal: AbortSignal
  /** Ends the run, with the reason: what the server refuses for good is not measured. */
  readonly giveUp: (why: string) => void
  /** The process id of a server that was started for this; null: not known. */
  readonly pid: number | null
  readonly tell: TellProgress
}

/** A word that nothing else has. */
export const newWord = (): string => randomBytes(6).toString("hex")

export const authorizationOf = ({ email, apiKey }: Account): string =>
  `Authorization: Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`

/** Requests that prepare are tried again where the server asks to wait; how often it did is counted. */
export const clientsOf = (
  server: string,
  accounts: ReadonlyArray<Account>,
  { findings, tell }: Pick<BenchScene, "findings" | "tell">,
): ReadonlyArray<Client> => {
  const counting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 429) {
      findings.lose("limited", "too many requests")
      tell("the server asks to wait (429)")
    }
    return response
  }
  return accounts.map((account) => new Client({ server, account, fetch: counting }))
}

export interface BenchChannel {
  readonly name: string
  /** Archives it, if it was made for this; answers what could not be cleared away. */
  readonly leave: () => Promise<string | null>
}

const leaveMilliseconds = 5_000

/** Aborted some time after a signal: what has been begun may still end well. */
const soonAfter = (signal: AbortSignal): AbortSignal => {
  const soon = new AbortController()
  signal.addEventListener("abort", () => {
    setTimeout(() => soon.abort(signal.reason), leaveMilliseconds).unref()
  })
  return soon.signal
}

/** A private channel with all the accounts in it, made by the first that may. None is left without a word of its name. */
export const makeChannel = async (clients: ReadonlyArray<Client>, signal: AbortSignal): Promise<BenchChannel> => {
  const [founder] = clients
  if (founder === undefined) throw new BenchImpossible("no accounts")
  const name = `parley-bench-${newWord()}`
  const people = await Promise.all(clients.map((client) => client.call("GET /users/me", {}, { signal })))
  signal.throwIfAborted()
  const principals = people.map(({ user_id }) => user_id)
  const params = { subscriptions: [{ name }], principals, invite_only: true, announce: false }
  const soon = { signal: soonAfter(signal) }
  try {
    await founder.call("POST /users/me/subscriptions", params, soon)
  } catch (error) {
    if (error instanceof Refused && !error.isForNow)
      throw new BenchImpossible(
        `no channel could be made (${error.message}): name one that all accounts are in by --channel`,
      )
    throw new BenchImpossible(`${reasonOf(error) ?? error}; a channel ${name} may be left`)
  }
  const stream_id = await founder.call("GET /get_stream_id", { stream: name }, soon).then(
    (found) => found.stream_id,
    (error: unknown) => {
      throw new BenchImpossible(`${reasonOf(error) ?? error}; the channel ${name} is left`)
    },
  )
  const leave = () =>
    founder
      .call("DELETE /streams/{stream_id}", { stream_id }, { patienceMilliseconds: leaveMilliseconds })
      .then(() => null)
      .catch((error: Error) => `the channel ${name} is left (${error.message})`)
  if (signal.aborted) {
    const left = await leave()
    throw left === null ? signal.reason : new BenchImpossible(`${reasonOf(signal.reason)}; ${left}`)
  }
  return { name, leave }
}
