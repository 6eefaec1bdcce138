/** Answers OPTIONS, by which browsers ask whether a page may send a request. Used by api.ts and downloads.ts. */
import { refusalOf } from "../rate-limit.ts"
import { answersFor } from "../reply.ts"
import type { WireResponse } from "../uws-response.ts"
import type { Entrance } from "./entrance.ts"
import type { WireRequest } from "./wire-request.ts"

export const answerOptions = (
  { origins, strangers, isDraining }: Pick<Entrance<never>, "origins" | "strangers" | "isDraining">,
  request: WireRequest,
  response: WireResponse,
  allowed: ReadonlyArray<string>,
): void => {
  const answers = answersFor(origins, request.origin)
  const refusal = refusalOf(strangers.count(response, strangers.addressOf(request, response), "page"))
  response.send(refusal === undefined ? answers.options(allowed) : answers.error(refusal), isDraining())
}
