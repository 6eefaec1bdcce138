/**
 * Commands that end without a call, done or refused, beside other processes: they were judged by rules that no commit confirms,
 * so they wait for the log's head and are judged once more, in the next batch. The commit under way does not wait for that.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { RequestFailure } from "../../api/errors.ts"
import type { Peers } from "./peers.ts"

interface Judged {
  isFresh: boolean
  readonly fail: (failure: RequestFailure) => void
  readonly die: (defect: unknown) => void
}

/** `again`: puts them into the line once more. */
export const makeJudgedAgain = <E extends Judged>(
  peers: Pick<Peers, "isAlone" | "fresh">,
  again: (entries: ReadonlyArray<E>) => void,
) => {
  let waiting = 0
  return {
    /** Where such commands are put; null: they can be answered. */
    list: (): Array<E> | null => (peers.isAlone ? null : []),
    /** How many wait. */
    count: () => waiting,
    look: (entries: ReadonlyArray<E> | null): void => {
      if (entries === null || entries.length === 0) return
      waiting += entries.length
      const looked = Effect.map(Effect.exit(peers.fresh), (exit) => {
        waiting -= entries.length
        for (const entry of entries) entry.isFresh = true
        if (Exit.isSuccess(exit)) return again(entries)
        const failure = Cause.findErrorOption(exit.cause)
        for (const entry of entries)
          if (Option.isSome(failure)) entry.fail(failure.value)
          else entry.die(Cause.squash(exit.cause))
      })
      Effect.runFork(looked)
    },
  }
}
