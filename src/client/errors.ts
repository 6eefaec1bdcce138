/**
 * How a call may end other than well: the server refuses it (`Refused`, with a code), or no answer comes that could be
 * read (`Unanswered`), and nobody knows whether it was done.
 */
import type { Code, Operation } from "./operations.ts"

/** The JSON object of a refusal; some codes have further fields. */
export interface RefusalBody<Op extends Operation = Operation> {
  readonly result: "error"
  readonly code: Code<Op>
  readonly msg: string
  readonly [field: string]: unknown
}

const passing: ReadonlySet<string> = new Set(["RATE_LIMIT_HIT", "SERVICE_UNAVAILABLE", "UPGRADE_UNDER_WAY"])

export class Refused<Op extends Operation = Operation> extends Error {
  override readonly name = "Refused"
  readonly operation: Op
  readonly status: number
  readonly body: RefusalBody<Op>
  /** How long the server asks to wait before the next try; null where it does not say. */
  readonly retryAfterMilliseconds: number | null

  constructor(operation: Op, status: number, body: RefusalBody<Op>, retryAfterMilliseconds: number | null) {
    super(`${operation}: ${body.msg}`)
    this.operation = operation
    this.status = status
    this.body = body
    this.retryAfterMilliseconds = retryAfterMilliseconds
  }

  get code(): Code<Op> {
    return this.body.code
  }

  /** The server has certainly done nothing, and the same may go well later. */
  get isForNow(): boolean {
    return passing.has(this.code)
  }
}

/** Whether an operation was refused; its `code` is one of that operation then. */
export const isRefused = <Op extends Operation>(error: unknown, operation: Op): error is Refused<Op> =>
  error instanceof Refused && error.operation === operation

export class Unanswered extends Error {
  override readonly name = "Unanswered"
  readonly operation: Operation
  /** False where the request has certainly not reached a server. Browsers do not tell: true there. */
  readonly mayBeDone: boolean

  constructor(operation: Operation, why: string, mayBeDone: boolean, cause?: unknown) {
    super(`${operation}: ${why}`, { cause })
    this.operation = operation
    this.mayBeDone = mayBeDone
  }
}

/** Another connection reads the queue: two readers would take it from each other for ever. */
export class Replaced extends Error {
  override readonly name = "Replaced"

  constructor() {
    super("the queue is read by a newer connection")
  }
}
