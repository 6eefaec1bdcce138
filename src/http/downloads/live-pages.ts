/**
 * Pages outside of the API that are made anew for each request, such as the mails of development mode. They are HTML without
 * scripts, load nothing, stand in no frame, are kept nowhere and tell nobody where their reader came from. Made by server.ts.
 */
import type * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { internalError, methodNotAllowed, notFound, serviceUnavailable, type Unavailable } from "../../api/errors.ts"
import type { MakePage } from "../../api/pages.ts"
import { type LargeAnswersShape, smallBytes } from "../../fairness/large-answers.ts"
import type { ServerAnswer } from "../answer/answer.ts"
import { type AnswerMaker, onlyFailure } from "../answer/make-answers.ts"
import type { ClientAddresses } from "../connections/client-address.ts"
import type { EffectRunner } from "../entrance/effect-runner.ts"
import type { InFlight } from "../entrance/in-flight.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import type { AnonymousRequests } from "../senders/anonymous-requests.ts"
import { refusalOf } from "../senders/rate-limit.ts"

const headers: ServerAnswer["headers"] = [
  ["Content-Type", "text/html; charset=utf-8"],
  ["X-Content-Type-Options", "nosniff"],
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["Cache-Control", "no-store"],
]

interface LivePageServices<R> {
  readonly runner: EffectRunner<R>
  readonly inFlight: InFlight
  readonly strangers: AnonymousRequests
  readonly addresses: Pick<ClientAddresses, "isOfThisMachine">
  readonly answers: AnswerMaker
  readonly largeAnswers: Pick<LargeAnswersShape, "note">
}

export const makeLivePages =
  <R>({ runner, inFlight, strangers, addresses, answers, largeAnswers }: LivePageServices<R>) =>
  (make: MakePage<R>, request: WireRequest, response: WireResponse): void => {
    const address = strangers.addressOf(request, response)
    const refuse = (error: Parameters<AnswerMaker["error"]>[0]) => response.send(answers.error(error))
    const refusal = refusalOf(strangers.count(response, address, "page"))
    if (refusal !== undefined) return refuse(refusal)

    const send = (html: string): void => {
      const body = Buffer.from(html)
      const reservation = body.byteLength > smallBytes ? largeAnswers.note(address, body.byteLength) : null
      if (reservation === undefined) return response.cut()
      reservation?.onCut(() => response.cut())
      response.send({ status: 200, headers, body }, false, reservation?.leave)
    }

    const failureOf = (cause: Cause.Cause<Unavailable>) =>
      onlyFailure(cause) === undefined
        ? internalError(runner.defect(cause, { endpoint: `${request.method} ${request.path}` }))
        : serviceUnavailable(1)

    inFlight.enter()
    response.onAbort(() => {})
    runner.run(make(addresses.isOfThisMachine(response.address(), request.forwarded)), (exit) => {
      runner.guard(() => {
        if (Exit.isFailure(exit)) refuse(failureOf(exit.cause))
        else if (exit.value === null) refuse(notFound())
        else if (request.method !== "GET" && request.method !== "HEAD") refuse(methodNotAllowed(["GET", "HEAD"]))
        else send(exit.value)
      })
      inFlight.leave()
    })
  }
