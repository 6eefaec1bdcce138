/** Commands that add and remove files. */
import type { ApiError } from "../../../api/errors.ts"
import { type CallJudgement, call, done, readRefusal, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"

/** Writes the row of a file, completed; its table function's words of refusal are answered with these errors. */
export const changeFiles = (row: NewRow, refusals: Readonly<Record<string, ApiError>>): CallJudgement<undefined> =>
  call("change_attachments_v1", { row }, false, (outcome) => {
    const failure = readRefusal(outcome, refusals)
    return failure === undefined ? done(failure) : refused(failure)
  })
