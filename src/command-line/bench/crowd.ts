/** The queues that are read: registered for the accounts in turn, connected, cut and brought back together. */
import { setMaxListeners } from "node:events"
import type { Account } from "../../client/index.ts"
import { authorizationOf, type BenchScene } from "./bench-channel.ts"
import { BenchImpossible } from "./bench-impossible.ts"
import { BenchQueue, type QueueLoss } from "./bench-queue.ts"

const registeringAtOnce = 16
const connectingAtOnce = 200
/** Before a queue that was lost is connected again; it doubles as long as that is in vain. */
const pauseMilliseconds = 200
const longestPause = 10_000
/** Losses of a queue in a row, over most of a minute, after which there is no more hope. */
const mostLosses = 10
const leaveMilliseconds = 5_000

export interface CrowdOptions {
  readonly scene: BenchScene
  readonly transport: "socket" | "poll"
  readonly size: number
  readonly mark: Buffer
  readonly onNumbers: (queue: number, numbers: ReadonlyArray<number>) => void
}

interface Registered {
  readonly index: number
  readonly account: Account
  readonly id: string
  readonly last: number
}

const register = async ({ accounts, clients, signal }: BenchScene, index: number): Promise<Registered> => {
  const which = index % accounts.length
  const [account, client] = [accounts[which], clients[which]]
  if (account === undefined || client === undefined) throw new BenchImpossible("no accounts")
  const params = { event_types: ["message"], fetch_event_types: ["message"] }
  const { queue_id: id, last_event_id: last } = await client.call("POST /register", params, { signal })
  if (id === undefined || id === null || last === undefined) throw new BenchImpossible("the server registers no queues")
  return { index, account, id, last }
}

export class QueueCrowd {
  readonly #options: CrowdOptions
  readonly #queues: Array<BenchQueue> = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #gone = new Set<number>()
  /** How often a queue was lost since it was connected, or got something. */
  readonly #losses = new Map<number, number>()
  #isClosed = false

  constructor(options: CrowdOptions) {
    this.#options = options
  }

  /** Registers the queues, and connects them. */
  async open(): Promise<void> {
    const { scene, size } = this.#options
    for (let from = 0; from < size; from += registeringAtOnce) {
      scene.signal.throwIfAborted()
      const some = Array.from({ length: Math.min(registeringAtOnce, size - from) }, (_, n) => register(scene, from + n))
      for (const registered of await Promise.all(some)) this.#queues.push(this.#queueOf(registered))
      scene.tell(`${size} queues are registered`, String(this.#queues.length))
    }
    await this.openAll()
  }

  #queueOf({ id, last, account, index }: Registered): BenchQueue {
    const { scene, transport, mark, onNumbers } = this.#options
    return new BenchQueue({
      place: scene.place,
      transport,
      authorization: authorizationOf(account),
      id,
      last,
      mark,
      onNumbers: (numbers) => {
        this.#losses.delete(index)
        onNumbers(index, numbers)
      },
      onOpen: () => {
        // A poll is open before it is answered.
        if (transport === "socket") this.#losses.delete(index)
      },
      onLost: (loss) => this.#lost(index, loss),
    })
  }

  /** Connects all; some in each turn of the loop, so that what they get meanwhile is read. */
  async openAll(): Promise<void> {
    for (const [index, queue] of this.#queues.entries()) {
      if (this.#isClosed) return
      queue.open()
      if (index % connectingAtOnce === connectingAtOnce - 1) await new Promise(setImmediate)
    }
  }

  /** Cuts all connections. */
  cut(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    for (const queue of this.#queues) queue.close()
  }

  #lost(index: number, { kind, why, retryAfter }: QueueLoss): void {
    if (this.#isClosed) return
    const { findings, giveUp } = this.#options.scene
    findings.lose(kind === "refused" ? "cut" : kind, why)
    if (kind === "gone") return void this.#gone.add(index)
    const losses = (this.#losses.get(index) ?? 0) + 1
    this.#losses.set(index, losses)
    if (kind === "refused") return giveUp(`the server refuses to give a queue's events: ${why}`)
    if (losses >= mostLosses) return giveUp(`a queue could not be connected ${losses} times in a row: ${why}`)
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        if (!this.#isClosed) this.#queues[index]?.open()
      },
      Math.max(Math.min(longestPause, pauseMilliseconds * 2 ** (losses - 1)), retryAfter),
    )
    this.#timers.add(timer)
  }

  /** Ends the connections, and the queues as far as that goes quickly. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.cut()
    const { clients } = this.#options.scene
    const end = AbortSignal.timeout(leaveMilliseconds)
    setMaxListeners(0, end)
    const left = [...this.#queues.entries()].filter(([index]) => !this.#gone.has(index))
    const leave = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined && !end.aborted; next = left.pop()) {
        const [index, { id }] = next
        const client = clients[index % clients.length]
        await client?.call("DELETE /events", { queue_id: id }, { signal: end, retries: false }).catch(() => null)
      }
    }
    await Promise.all(Array.from({ length: registeringAtOnce }, leave))
  }
}
