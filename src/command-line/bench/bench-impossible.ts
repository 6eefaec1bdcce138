/** Why nothing can be measured, in words for whoever gave the orders. */
import { Refused, Unanswered } from "../../client/index.ts"

export class BenchImpossible extends Error {
  override readonly name = "Unfit"
}

/** The innermost cause: what the network says is of more use than that a fetch failed. */
const causeOf = ({ message, cause }: Error): string => (cause instanceof Error ? causeOf(cause) : message)

/** In one line; null for an error of this program. */
export const reasonOf = (error: unknown): string | null => {
  if (error instanceof Unanswered && error.cause instanceof Error) return `${error.message} (${causeOf(error.cause)})`
  return error instanceof BenchImpossible || error instanceof Refused || error instanceof Unanswered
    ? error.message
    : null
}
