/** Commands that add and remove files. */
import * as Predicate from "effect/Predicate"
import type { ApiError } from "../../errors.ts"
import { type Calling, call, done, refused } from "../../events/command.ts"
import type { NewRow } from "../../events/step.ts"

/** Writes the row of a file, completed; its table function's words of refusal are answered with these errors. */
export const changeFiles = (row: NewRow, refusals: Readonly<Record<string, ApiError>>): Calling<undefined> =>
  call("change_attachments_v1", { row }, false, (outcome) => {
    const word = Predicate.isObject(outcome) ? outcome["refused"] : undefined
    if (word === undefined) return done(undefined)
    const failure = refusals[String(word)]
    if (failure === undefined) throw new Error(`a change of files ended in ${JSON.stringify(outcome)}`)
    return refused(failure)
  })
