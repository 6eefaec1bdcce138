/** Attacks, and what they attack with. Every attack ends when its kit says so; nothing it opens outlives it. */
import { setMaxListeners } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import type { Account, Target } from "./target.ts"
import { addresses, strangers } from "./target.ts"
import { Wire, type WireEvents } from "./wire.ts"

export type Who = "guest" | "member" | "nobody" | "slow"

export interface Attack {
  readonly name: string
  readonly who: Who
  /** A sentence that says what is done, and how many at a time. */
  readonly about: string
  readonly run: (kit: Kit) => Promise<void>
}

/** Number of answers of each status, and of connections that were cut, that an attack got. */
export type Tally = Readonly<Record<string, number>>

/** Milliseconds after an answer that says "later", and after a lost connection. */
const pauseMilliseconds = 250
const later: ReadonlySet<number> = new Set([429, 503])

export class Kit {
  readonly port: number
  readonly target: Target
  readonly #tally: Record<string, number> = {}
  readonly #wires = new Set<Wire>()
  readonly #ended = new AbortController()
  /**
   * The attack's number among its kind: each has accounts of its own, so that one's allowance is not another's. Null: all
   * use the same account.
   */
  readonly #number: number | null

  constructor(port: number, target: Target, number: number | null) {
    this.port = port
    this.target = target
    this.#number = number
    // Every sleep of an attack listens for its end.
    setMaxListeners(0, this.#ended.signal)
  }

  get isOver(): boolean {
    return this.#ended.signal.aborted
  }

  get tally(): Tally {
    return this.#tally
  }

  /** The attack's n-th account of a kind. */
  account(kind: "guests" | "members" | "slow", n = 0): Account {
    const all = this.target[kind]
    const account = all[this.#number === null ? 0 : (this.#number + n) % all.length]
    if (account === undefined) throw new Error(`no ${kind}`)
    return account
  }

  /** Counts an answer; those after the end, because of the end, do not count. */
  count(what: string | number): void {
    if (this.isOver) return
    this.#tally[what] = (this.#tally[what] ?? 0) + 1
  }

  /** False once the attack is over. */
  async sleep(milliseconds: number): Promise<boolean> {
    await wait(milliseconds, undefined, { signal: this.#ended.signal }).catch(() => undefined)
    return !this.isOver
  }

  /** Waits until the end. */
  async last(): Promise<void> {
    while (await this.sleep(1000));
  }

  open(from: string, events: WireEvents): Wire {
    const wire = new Wire(this.port, from, {
      ...events,
      closed: (why) => {
        this.#wires.delete(wire)
        events.closed?.(why)
      },
    })
    this.#wires.add(wire)
    return wire
  }

  /** Asks once on a connection of its own; answers the status, 0 if the connection was lost. */
  once(from: string, request: Uint8Array): Promise<number> {
    return new Promise((resolve) => {
      let isAnswered = false
      const wire = this.open(from, {
        answered: (status) => {
          isAnswered = true
          this.count(status)
          wire.close()
          resolve(status)
        },
        closed: (why) => {
          if (!isAnswered) this.count(why)
          resolve(0)
        },
      })
      wire.write(request)
    })
  }

  /** Asks `atOnce` times at once, each again as soon as it is answered, at most `most` times in all. */
  async repeat(
    atOnce: number,
    request: (n: number) => Uint8Array,
    { from = () => addresses.member, most = 100_000 }: { from?: (n: number) => string; most?: number } = {},
  ): Promise<void> {
    let asked = 0
    const one = async () => {
      while (!this.isOver && asked < most) {
        const n = asked++
        const status = await this.once(from(n), request(n))
        if (status === 0 || later.has(status)) await this.sleep(pauseMilliseconds)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }

  end(): void {
    this.#ended.abort()
    for (const wire of this.#wires) wire.close()
  }
}

export const stranger = (n: number): string => strangers[n % strangers.length] ?? "127.0.1.1"
