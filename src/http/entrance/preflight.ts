/** Answers OPTIONS, by which browsers ask whether a page may send a request. Used by api.ts and serve-downloads.ts. */

import { answersFor } from "../answer/make-answers.ts"
import type { WireResponse } from "../network/uws-response.ts"
import type { WireRequest } from "../network/wire-request.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import type { EntranceServices } from "./entrance.ts"

export const answerOptions = (
  { origins, strangers }: Pick<EntranceServices<never>, "origins" | "strangers">,
  request: WireRequest,
  response: WireResponse,
  allowed: ReadonlyArray<string>,
): void => {
  const answers = answersFor(origins, request.origin)
  const refusal = refusalOf(strangers.count(response, strangers.addressOf(request, response), "page"))
  response.send(refusal === undefined ? answers.options(allowed) : answers.error(refusal))
}
