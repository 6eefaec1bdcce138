/**
 * Answers outside of the API that are the same for everybody (api/pages.ts). They are shared bytes, sent compressed to
 * clients that take it; those that are large count as held until they have left. Made by server.ts.
 */
import { methodNotAllowed } from "../../api/errors.ts"
import type { PlainAnswer } from "../../api/pages.ts"
import { type LargeAnswersShape, smallBytes } from "../../fairness/large-answers.ts"
import { acceptsBrotli, acceptsGzip } from "../answer/accept-encoding.ts"
import type { ServerAnswer } from "../answer/answer.ts"
import type { AnswerMaker } from "../answer/make-answers.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import type { AnonymousRequests } from "../senders/anonymous-requests.ts"
import { refusalOf } from "../senders/rate-limit.ts"

interface PlainPageServices {
  readonly strangers: AnonymousRequests
  readonly answers: AnswerMaker
  readonly largeAnswers: Pick<LargeAnswersShape, "note">
}

const headersOf = ({
  contentType = "application/json",
  cacheSeconds,
  isImmutable = false,
  headers = [],
}: PlainAnswer): ServerAnswer["headers"] => [
  ["Content-Type", contentType],
  [
    "Cache-Control",
    cacheSeconds === undefined ? "no-store" : `public, max-age=${cacheSeconds}${isImmutable ? ", immutable" : ""}`,
  ],
  ["X-Content-Type-Options", "nosniff"],
  ...headers,
]

/** As the client takes it. */
const answerOf = (page: PlainAnswer, { acceptEncoding }: WireRequest): ServerAnswer => {
  const { status, body, gzip, brotli } = page
  const headers = headersOf(page)
  if (gzip === undefined) return { status, headers, body }
  const varied: ServerAnswer["headers"] = [...headers, ["Vary", "Accept-Encoding"]]
  if (brotli !== undefined && acceptsBrotli(acceptEncoding))
    return { status, headers: [...varied, ["Content-Encoding", "br"]], body: brotli }
  return acceptsGzip(acceptEncoding)
    ? { status, headers: [...varied, ["Content-Encoding", "gzip"]], body: gzip }
    : { status, headers: varied, body }
}

export const makePlainPages =
  ({ strangers, answers, largeAnswers }: PlainPageServices) =>
  (page: () => PlainAnswer, request: WireRequest, response: WireResponse): void => {
    const address = strangers.addressOf(request, response)
    const verdict = strangers.count(response, address, "page")
    const isRead = request.method === "GET" || request.method === "HEAD"
    const error = refusalOf(verdict) ?? (isRead ? undefined : methodNotAllowed(["GET", "HEAD"]))
    if (error !== undefined) return response.send(answers.error(error))
    const answer = answerOf(page(), request)
    const { length } = answer.body
    const reservation = length > smallBytes ? largeAnswers.note(address, length) : null
    if (reservation === undefined) return response.cut()
    reservation?.onCut(() => response.cut())
    response.send(answer, false, reservation?.leave)
  }
