/**
 * Serves pictures outside of the API, which clients fetch without signing the request: custom emoji, and pictures of other
 * servers. Browsers take them for nothing but what they are, and run nothing in them. Made by server.ts.
 */

import type * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { internalError, methodNotAllowed, notFound, serviceUnavailable, type Unavailable } from "../../api/errors.ts"
import type { Picture, PictureSource } from "../../api/pages.ts"
import { type LargeAnswersShape, smallBytes } from "../../fairness/large-answers.ts"
import type { Answer } from "../answer/answer.ts"
import { type Answers, onlyFailure } from "../answer/reply.ts"
import type { InFlight } from "../entrance/in-flight.ts"
import type { Runner } from "../entrance/runner.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { hostName, readHost } from "../request/request.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import type { Strangers } from "../senders/strangers.ts"

const headersOf = (contentType: string, keptSeconds: number | null): Answer["headers"] => [
  ["Content-Type", contentType],
  ["X-Content-Type-Options", "nosniff"],
  ["Content-Security-Policy", "default-src 'none'; sandbox"],
  ["Cross-Origin-Resource-Policy", "cross-origin"],
  ["Cache-Control", keptSeconds === null ? "public, max-age=31536000, immutable" : `public, max-age=${keptSeconds}`],
]

interface Parts<R> {
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  readonly strangers: Strangers
  readonly answers: Answers
  readonly largeAnswers: Pick<LargeAnswersShape, "note">
  readonly isDraining: () => boolean
}

export const makePictures =
  <R>({ runner, inFlight, strangers, answers, largeAnswers, isDraining }: Parts<R>) =>
  ({ prefix, find, keptSeconds }: PictureSource<R>, request: WireRequest, response: WireResponse): void => {
    const address = strangers.addressOf(request, response)
    const refuse = (error: Parameters<Answers["error"]>[0]) => response.send(answers.error(error), isDraining())
    const refusal = refusalOf(strangers.count(response, address, "page"))
    if (refusal !== undefined) return refuse(refusal)
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(methodNotAllowed(["GET", "HEAD"]))

    /** Sends a picture. What its client does not read is counted, and cut where others need the room. */
    const send = ({ contentType, bytes }: Picture): void => {
      const reservation = bytes.byteLength > smallBytes ? largeAnswers.note(address, bytes.byteLength) : null
      if (reservation === undefined) return response.cut()
      reservation?.onCut(() => response.cut())
      const answer = { status: 200, headers: headersOf(contentType, keptSeconds), body: bytes }
      response.send(answer, isDraining(), reservation?.leave)
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
