/**
 * Serves pictures outside of the API, which clients fetch without signing the request: custom emoji, and pictures of other
 * servers. Browsers take them for nothing but what they are, and run nothing in them. Made by server.ts.
 */

import type * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { internalError, methodNotAllowed, notFound, serviceUnavailable, type Unavailable } from "../../api/errors.ts"
import type { PictureSource, ServedPicture } from "../../api/pages.ts"
import { type LargeAnswersShape, smallBytes } from "../../fairness/large-answers.ts"
import type { ServerAnswer } from "../answer/answer.ts"
import { type AnswerMaker, onlyFailure } from "../answer/make-answers.ts"
import type { EffectRunner } from "../entrance/effect-runner.ts"
import type { InFlight } from "../entrance/in-flight.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { hostName, readHost } from "../request/request-headers.ts"
import type { AnonymousRequests } from "../senders/anonymous-requests.ts"
import { refusalOf } from "../senders/rate-limit.ts"

const headersOf = (contentType: string, keptSeconds: number | null): ServerAnswer["headers"] => [
  ["Content-Type", contentType],
  ["X-Content-Type-Options", "nosniff"],
  ["Content-Security-Policy", "default-src 'none'; sandbox"],
  ["Cross-Origin-Resource-Policy", "cross-origin"],
  ["Cache-Control", keptSeconds === null ? "public, max-age=31536000, immutable" : `public, max-age=${keptSeconds}`],
]

interface PictureServices<R> {
  readonly runner: EffectRunner<R>
  readonly inFlight: InFlight
  readonly strangers: AnonymousRequests
  readonly answers: AnswerMaker
  readonly largeAnswers: Pick<LargeAnswersShape, "note">
}

export const makePictures =
  <R>({ runner, inFlight, strangers, answers, largeAnswers }: PictureServices<R>) =>
  ({ prefix, find, keptSeconds }: PictureSource<R>, request: WireRequest, response: WireResponse): void => {
    const address = strangers.addressOf(request, response)
    const refuse = (error: Parameters<AnswerMaker["error"]>[0]) => response.send(answers.error(error))
    const refusal = refusalOf(strangers.count(response, address, "page"))
    if (refusal !== undefined) return refuse(refusal)
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(methodNotAllowed(["GET", "HEAD"]))

    /** Sends a picture. What its client does not read is counted, and cut where others need the room. */
    const send = ({ contentType, bytes }: ServedPicture): void => {
      const reservation = bytes.byteLength > smallBytes ? largeAnswers.note(address, bytes.byteLength) : null
      if (reservation === undefined) return response.cut()
      reservation?.onCut(() => response.cut())
      const answer = { status: 200, headers: headersOf(contentType, keptSeconds), body: bytes }
      response.send(answer, false, reservation?.leave)
    }

    const failureOf = (cause: Cause.Cause<Unavailable>) =>
      onlyFailure(cause) === undefined
        ? internalError(runner.defect(cause, { endpoint: `${request.method} ${prefix}` }))
        : serviceUnavailable(1)

    inFlight.enter()
    response.onAbort(() => {})
    runner.run(find(request.path, hostName(readHost(request.host) ?? ""), address), (exit) => {
      runner.guard(() => {
        if (Exit.isFailure(exit)) refuse(failureOf(exit.cause))
        else if (exit.value === null) refuse(notFound())
        else send(exit.value)
      })
      inFlight.leave()
    })
  }
