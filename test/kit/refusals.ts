/** Tables of requests that must be refused, and the check of their status, code and text. */
import type { Test } from "tap"
import type { Answer, Fields } from "./client.ts"

export interface Refusal {
  /** Completes "refused: ...". */
  readonly when: string
  readonly fields: Fields
  /** Default: 400. */
  readonly status?: number
  /** Default: BAD_REQUEST. */
  readonly code?: string
  readonly msg: string | RegExp
  /** Further keys that the answer must have. */
  readonly also?: Fields
}

/** Sends the request of each line; the answer must be that refusal, and have no key of a success. */
export const refuses = async (
  t: Test,
  table: ReadonlyArray<Refusal>,
  ask: (fields: Fields) => Promise<Answer>,
): Promise<void> => {
  for (const { when, fields, status = 400, code = "BAD_REQUEST", msg, also = {} } of table) {
    const answer = await ask(fields)
    t.equal(answer.status, status, `refused: ${when} (${JSON.stringify(answer.body)})`)
    t.match(answer.body, { result: "error", code, msg, ...also }, `refused as it should be: ${when}`)
  }
}
