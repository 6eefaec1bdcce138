/**
 * A call that is tried again until it is answered. What may have been done is not done again, unless that does no harm: a
 * GET, and a send under a local id, which the server knows again for a day.
 */
import type { EncodedCall } from "./encode.ts"
import { Refused, Unanswered } from "./errors.ts"
import { type ClientWire, exchange } from "./exchange.ts"
import type { Operation, Reply } from "./operations.ts"
import { Pauses, pause } from "./pauses.ts"

export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** After these the call ends with what it last knew, whatever it waits for. */
  readonly patienceMilliseconds?: number | undefined
  /** False: asks once. */
  readonly retries?: boolean | undefined
}

export interface Persistence extends CallOptions {
  readonly patienceMilliseconds: number
  /** It may be done twice without harm. */
  readonly isRepeatable: boolean
}

/** A silent connection is given up after these where another may be tried. A poll is silent until something happens. */
const answerMilliseconds = 30_000
const defaultPauses = { firstMilliseconds: 200, mostMilliseconds: 10_000 }

/** How long the server asks to wait; null where another try cannot be made, or would not help. */
const waitAfter = (error: unknown, isRepeatable: boolean): number | null => {
  if (error instanceof Refused) return error.isForNow ? (error.retryAfterMilliseconds ?? 0) : null
  if (error instanceof Unanswered) return isRepeatable || !error.mayBeDone ? 0 : null
  return null
}

export const persist = async <Op extends Operation>(
  wire: ClientWire,
  operation: Op,
  request: EncodedCall,
  { signal, patienceMilliseconds, retries = true, isRepeatable }: Persistence,
): Promise<Reply<Op>> => {
  const pauses = new Pauses(wire.pauses ?? defaultPauses)
  const end = performance.now() + patienceMilliseconds
  const isGivenUp = retries && isRepeatable && operation !== "GET /events"
  for (;;) {
    const left = end - performance.now()
    try {
      const milliseconds = isGivenUp ? Math.min(left, answerMilliseconds) : left
      return await exchange(wire, operation, request, { signal, milliseconds })
    } catch (error) {
      const asked = retries ? waitAfter(error, isRepeatable) : null
      const wait = asked === null ? Number.POSITIVE_INFINITY : pauses.next(asked)
      if (performance.now() + wait >= end) throw error
      await pause(wait, signal)
    }
  }
}
