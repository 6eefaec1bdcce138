/**
 * Whether a request has submitted a command: from then on what it ends in is what the log says, and it is not run once more.
 * Given to requests where several processes serve one database; the writer of an organization notes it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export class Submission extends Context.Service<Submission, { isMade: boolean }>()("parley/api/Submission") {}

/** Notes that a command is submitted, where somebody asks. */
export const noteSubmission: Effect.Effect<void> = Effect.map(Effect.serviceOption(Submission), (found) => {
  if (Option.isSome(found)) found.value.isMade = true
})
