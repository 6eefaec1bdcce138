/**
 * Serves pictures outside of the API, which clients fetch without signing the request. Browsers take them for nothing but
 * what they are, run nothing in them, and keep them: a picture at an address never changes. Made by server.ts.
 */

import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { methodNotAllowed, notFound, serviceUnavailable, type Unavailable } from "../../errors.ts"
import type { InFlight } from "../in-flight.ts"
import { refusalOf } from "../rate-limit.ts"
import type { Answers } from "../reply.ts"
import type { Runner } from "../runner.ts"
import type { WireRequest } from "../uws.ts"
import type { Answer, WireResponse } from "../uws-response.ts"
import type { Strangers } from "./strangers.ts"

export interface Picture {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export type FindPicture<R> = (path: string) => Effect.Effect<Picture | null, Unavailable, R>

export const picturePrefix = "/user_avatars/"

const headersOf = (contentType: string): Answer["headers"] => [
  ["Content-Type", contentType],
  ["X-Content-Type-Options", "nosniff"],
  ["Content-Security-Policy", "default-src 'none'; sandbox"],
  ["Cross-Origin-Resource-Policy", "cross-origin"],
  ["Cache-Control", "public, max-age=31536000, immutable"],
]

interface Parts<R> {
  readonly find: FindPicture<R>
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  readonly strangers: Strangers
  readonly answers: Answers
  readonly isDraining: () => boolean
}

export const makePictures =
  <R>({ find, runner, inFlight, strangers, answers, isDraining }: Parts<R>) =>
  (request: WireRequest, response: WireResponse): void => {
    const refuse = (error: Parameters<Answers["error"]>[0]) => response.send(answers.error(error), isDraining())
    const refusal = refusalOf(strangers.count(response, strangers.addressOf(request, response), "page"))
    if (refusal !== undefined) return refuse(refusal)
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(methodNotAllowed(["GET", "HEAD"]))
    inFlight.enter()
    response.onAbort(() => {})
    runner.run(find(request.path), (exit) => {
      runner.guard(() => {
        if (Exit.isFailure(exit)) refuse(serviceUnavailable(1))
        else if (exit.value === null) refuse(notFound())
        else
          response.send(
            { status: 200, headers: headersOf(exit.value.contentType), body: exit.value.bytes },
            isDraining(),
          )
      })
      inFlight.leave()
    })
  }
