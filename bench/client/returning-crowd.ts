/**
 * Parts that `catch-up` and `storm` share: the clients of a crowd that all come back to their queues at once, and a
 * list of what went wrong meanwhile.
 */
import * as Schema from "effect/Schema"
import { Lack } from "../crowd/plan.ts"
import { Account } from "../siege/target.ts"
import { addressOf, Returning, transports } from "./returning.ts"

const atOnce = 100
const mostFaults = 20
/** Characters of the reason of a lost connection that tell one kind of incident from another. */
const kindLength = 40
/** Milliseconds after a refusal or a cut connection. */
export const pauseMilliseconds = 100
/** Milliseconds for events that come twice, which may come late. */
export const lateMilliseconds = 500

export class Findings {
  /** Events that must not happen: the first few. */
  readonly faults: Array<string> = []
  readonly #incidents = new Map<string, number>()

  fault(text: string): void {
    if (this.faults.length < mostFaults) this.faults.push(text)
  }

  /** A lost or refused connection, which may happen. */
  incident(why: string): void {
    const kind = why.slice(0, kindLength).split("\r\n")[0] ?? why
    this.#incidents.set(kind, (this.#incidents.get(kind) ?? 0) + 1)
  }

  /** Number of incidents of each kind. */
  get incidents(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#incidents)
  }
}

/** Orders that such a process is given first, beside its own. */
export const crowdOrders = {
  port: Schema.Number,
  transport: Schema.Literals(transports),
  people: Schema.Array(Account),
  lack: Lack,
  patienceSeconds: Schema.Number,
}
const Orders = Schema.Struct(crowdOrders)
type Orders = typeof Orders.Type

/** Handlers of what a client gets. */
interface Handlers {
  readonly onEvent: (id: number) => void
  readonly onBytes: (length: number) => void
  readonly onLost: (client: Returning, why: string) => void
}

/** A client for each of the crowd's users, at the queue that was made for them. An id that does not rise is a fault. */
export const clientsOf = (
  { port, transport, people, lack }: Orders,
  findings: Findings,
  handlersOf: (account: Account, index: number) => Handlers,
): ReadonlyArray<Returning> =>
  people.map((account, index) => {
    const { onEvent, onBytes, onLost } = handlersOf(account, index)
    const client: Returning = new Returning({
      port,
      transport,
      account,
      queue: lack.queues[index] ?? "",
      last: lack.last,
      from: addressOf(index),
      onEvent: (id) => {
        if (id <= client.last) findings.fault(`user ${account.id} got ${id} after ${client.last}`)
        onEvent(id)
      },
      onBytes,
      onLost: (why) => onLost(client, why),
    })
    return client
  })

/** Connects all, some in each turn of the loop, so that what they get meanwhile is read. */
export const openAll = async (clients: ReadonlyArray<Returning>): Promise<void> => {
  for (const [index, client] of clients.entries()) {
    client.open()
    if (index % atOnce === atOnce - 1) await new Promise(setImmediate)
  }
}
