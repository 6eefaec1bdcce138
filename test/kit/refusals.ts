/** Requests that must be refused, one line of a table each, and the check that they are: status, code and text. */
import type { Test } from "tap"
import type { Answer, Fields } from "./client.ts"

export interface Refusal {
  /** Completes "refused: ...". */
  readonly when: string
  readonly fields: Fields
  /** 400 where it says nothing. */
  readonly status?: number
  /** BAD_REQUEST where it says nothing. */
  readonly code?: string
  readonly msg: string | RegExp
  /** Further keys that the answer must have. */
  readonly also?: Fields
}

/** Asks each line of the table; the answer must be that refusal, and no key of a success may be in it. */
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
