/**
 * The entry that a handler of the outbox is given, and how it ends. A handler is called at least once: after a crash,
 * or an effect whose answer was lost, it is called again. One whose effect is a commit can be done exactly once: it
 * gives its commit the guard and the step of `ending`, so that the effect and the end of the row are one, and a second
 * call finds the row gone.
 */
import * as Data from "effect/Data"
import type { RealmId } from "../../ids.ts"

export interface OutboxEntry<A> {
  readonly id: number
  readonly realm: RealmId
  readonly payload: A
  /** When it was to be done, in milliseconds since the Unix epoch. */
  readonly dueAt: number
  /** Number of attempts, this one included. */
  readonly attempts: number
  /** Names this attempt. */
  readonly claim: string
}

/** A handler fails with this where no further attempt can help. */
export class GiveUp extends Data.TaggedError("GiveUp")<{ readonly reason: string }> {}

/**
 * For a commit that is the effect of a row: the guard refuses it with the word `gone` where the row was done or taken back
 * meanwhile, the step deletes the row.
 */
export const ending = ({ id, claim }: Pick<OutboxEntry<unknown>, "id" | "claim">) =>
  ({
    guard: { fn: "is_outbox_claimed_v1", args: { id, claim } },
    step: { fn: "end_outbox_rows_v1", calls: [{ id }], keepsRules: true },
  }) as const
