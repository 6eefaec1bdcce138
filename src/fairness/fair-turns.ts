/**
 * A line for something scarce (connections of the database, memory for answers): at most `capacity` of it is in use,
 * and those who wait for some get it in turns by owner, so that one owner with a thousand requests delays another's
 * next one by as little as an owner with one (fair queueing). Used wherever users compete: reads, large answers, renderings,
 * pictures, uploads and downloads, fetches.
 */
import * as Effect from "effect/Effect"
import { type ApiError, serviceUnavailable } from "../api/errors.ts"
import type { ClockShape, Timer } from "../clock.ts"
import type { LimitName, RefusalsShape } from "./refusals.ts"

export interface TurnLimits {
  /** Most that is given out at a time. A wish for more than all of it is granted while nothing else is given out. */
  readonly capacity: number
  /** Most turns that one owner has at a time; further ones wait. */
  readonly perOwner: number
  /** Most turns that wait of one owner, and in all; further ones are refused. */
  readonly ownerWaiting: number
  readonly allWaiting: number
}

/** `owner-full`: refused because too many of this owner wait; `full`: because too many wait in all. */
export type TurnAdmission = "begun" | "waiting" | "owner-full" | "full"

/** One wish for a turn. */
export interface TurnRequest {
  readonly owner: string
  /** The part of the capacity that it takes. */
  readonly cost: number
  /** Called once, within `enter` or later: the turn has begun, and lasts until `leave`. */
  readonly begin: () => void
}

interface TurnOwner {
  running: number
  readonly waiting: Array<TurnRequest>
}

export class FairTurns {
  readonly #limits: TurnLimits
  readonly #owners = new Map<string, TurnOwner>()
  /** Owners whose next turn may begin, the one that has waited longest first. Sets keep the order of insertion. */
  readonly #ready = new Set<string>()
  #used = 0
  #waiting = 0
  #isHandingOut = false

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** The part of the capacity that is in use, and the number of turns that wait. */
  get used(): number {
    return this.#used
  }
  get waiting(): number {
    return this.#waiting
  }

  /** Whether somebody waits for what others have, and not only for the end of a turn of their own. */
  get isShort(): boolean {
    return this.#ready.size > 0
  }

  enter(turn: TurnRequest): TurnAdmission {
    const owner = this.#owners.get(turn.owner) ?? { running: 0, waiting: [] }
    const isFree = owner.waiting.length === 0 && owner.running < this.#limits.perOwner && this.#ready.size === 0
    if (isFree && this.#fits(turn)) {
      this.#owners.set(turn.owner, owner)
      this.#begin(owner, turn)
      return "begun"
    }
    if (owner.waiting.length >= this.#limits.ownerWaiting) return "owner-full"
    if (this.#waiting >= this.#limits.allWaiting) return "full"
    this.#owners.set(turn.owner, owner)
    owner.waiting.push(turn)
    this.#waiting += 1
    if (owner.running < this.#limits.perOwner) this.#ready.add(turn.owner)
    return "waiting"
  }

  /** Takes a turn that still waits out of the line; false if it has begun. */
  cancel(turn: TurnRequest): boolean {
    const owner = this.#owners.get(turn.owner)
    const at = owner?.waiting.indexOf(turn) ?? -1
    if (owner === undefined || at < 0) return false
    owner.waiting.splice(at, 1)
    this.#waiting -= 1
    this.#settle(turn.owner, owner)
    // Those behind a turn that wanted much may fit now.
    this.#next()
    return true
  }

  /** Ends a turn that has begun. Must be called once for each. */
  leave(turn: TurnRequest): void {
    this.#used -= turn.cost
    const owner = this.#owners.get(turn.owner)
    if (owner !== undefined) {
      owner.running -= 1
      this.#settle(turn.owner, owner)
    }
    this.#next()
  }

  /** Counts more, or less, as in use than what the turns cost. */
  charge(amount: number): void {
    this.#used += amount
    if (amount < 0) this.#next()
  }

  #fits({ cost }: TurnRequest): boolean {
    return this.#used === 0 || this.#used + cost <= this.#limits.capacity
  }

  /** Notes whether the owner's next turn may begin, and forgets owners who want nothing. */
  #settle(name: string, owner: TurnOwner): void {
    if (owner.waiting.length > 0 && owner.running < this.#limits.perOwner) this.#ready.add(name)
    else this.#ready.delete(name)
    if (owner.waiting.length === 0 && owner.running === 0) this.#owners.delete(name)
  }

  #begin(owner: TurnOwner, turn: TurnRequest): void {
    // To the end of the line, before `begin`, which may enter another turn.
    this.#ready.delete(turn.owner)
    owner.running += 1
    this.#used += turn.cost
    this.#settle(turn.owner, owner)
    turn.begin()
  }

  /**
   * Begins turns until nothing more fits. A turn may end within its beginning, where the database is gone: then this
   * loop goes on with the next one, because a thousand calls within each other are more than the stack holds.
   */
  #next(): void {
    if (this.#isHandingOut) return
    this.#isHandingOut = true
    try {
      for (let found = this.#takeNext(); found !== undefined; found = this.#takeNext()) this.#begin(...found)
    } finally {
      this.#isHandingOut = false
    }
  }

  /** Nobody is passed over: else a large turn would wait for ever. */
  #takeNext(): readonly [TurnOwner, TurnRequest] | undefined {
    const [name] = this.#ready
    const owner = name === undefined ? undefined : this.#owners.get(name)
    const turn = owner?.waiting[0]
    if (owner === undefined || turn === undefined || !this.#fits(turn)) return undefined
    owner.waiting.shift()
    this.#waiting -= 1
    return [owner, turn]
  }
}

/**
 * The rest after a turn whose work takes what others need too: `task`, which ends it, runs after `milliseconds` of
 * real time, at once where there are none. Tests hold it in their hand.
 */
export type RestAfterTurn = (milliseconds: number, task: () => void) => void

export const realRest: RestAfterTurn = (milliseconds, task) => {
  if (milliseconds < 1) task()
  else setTimeout(task, milliseconds)
}

/** Why nobody got a turn; `late`: it did not begin within `waitMs`. */
export type NoTurn = "owner-full" | "full" | "late"

/** A turn that begins at once; undefined where one would have to wait for it. Whoever gets it calls `leave` with it once. */
export const turnAtOnce = (turns: FairTurns, wish: Pick<TurnRequest, "owner" | "cost">): TurnRequest | undefined => {
  const turn: TurnRequest = { begin: () => {}, ...wish }
  const admission = turns.enter(turn)
  if (admission === "begun") return turn
  if (admission === "waiting") turns.cancel(turn)
  return undefined
}

/** Waits for a turn. Whoever gets it calls `leave` with it once. */
export const awaitTurn = (
  turns: FairTurns,
  clock: ClockShape,
  wish: Pick<TurnRequest, "owner" | "cost">,
  waitMs: number,
): Effect.Effect<TurnRequest, NoTurn> =>
  Effect.callback((resume) => {
    let timer: Timer | undefined
    const turn: TurnRequest = {
      begin: () => {
        timer?.cancel()
        resume(Effect.succeed(turn))
      },
      ...wish,
    }
    const admission = turns.enter(turn)
    if (admission === "owner-full" || admission === "full") return resume(Effect.fail(admission))
    if (admission === "waiting")
      timer = clock.after(Math.max(1, waitMs), () => {
        if (turns.cancel(turn)) resume(Effect.fail("late"))
      })
    // Whoever is interrupted while waiting takes nothing along.
    return Effect.sync(() => {
      timer?.cancel()
      if (!turns.cancel(turn)) turns.leave(turn)
    })
  })

/** Runs work in a turn of `owner`; fails with 503 where it does not get one. */
export type InTurns = <A, E, R>(owner: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>

/** Turns for work that takes what is scarce for as long as it lasts. `limit`: what is noted where somebody gets none. */
export const makeInTurns = (
  { clock, refusals }: { readonly clock: ClockShape; readonly refusals: RefusalsShape },
  { limit, waitMs, ...limits }: TurnLimits & { readonly limit: LimitName; readonly waitMs: number },
): InTurns => {
  const turns = new FairTurns(limits)
  const turn = (owner: string) =>
    Effect.catch(awaitTurn(turns, clock, { owner, cost: 1 }, waitMs), () => {
      refusals.note(limit, owner)
      return Effect.fail(serviceUnavailable(5))
    })
  return (owner, work) =>
    Effect.acquireUseRelease(
      turn(owner),
      () => work,
      (begun) => Effect.sync(() => turns.leave(begun)),
    )
}
