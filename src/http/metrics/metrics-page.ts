/**
 * GET /metrics: figures for Prometheus, for programs on this machine that come through no proxy, and for whoever has the
 * operator's token. To all others it does not exist. Made by server.ts.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import * as Exit from "effect/Exit"
import { type ApiError, internalError, methodNotAllowed, notFound } from "../../api/errors.ts"
import type { Family } from "../../api/metrics.ts"
import { isLoopback } from "../../loopback.ts"
import { forEachInSlices } from "../../slices.ts"
import type { Answers } from "../answer/reply.ts"
import type { ClientAddresses } from "../connections/client-address.ts"
import type { InFlight } from "../entrance/in-flight.ts"
import type { Runner } from "../entrance/runner.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { hostName } from "../request/request.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import type { Strangers } from "../senders/strangers.ts"
import { contentType, inParts, writePart } from "./exposition.ts"

export const metricsPath = "/metrics"

interface Parts<R> {
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  /** Null: only this machine may read. */
  readonly token: string | null
  readonly addresses: Pick<ClientAddresses, "isOfThisMachine">
  readonly strangers: Strangers
  readonly answers: Answers
  /** Counts and refuses a request, as it is done for what does not exist. */
  readonly refuse: (request: WireRequest, response: WireResponse, error: ApiError) => void
  readonly families: () => ReadonlyArray<Family>
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

export const makeMetricsPage = <R>(parts: Parts<R>) => {
  const { token, runner, inFlight, addresses, strangers, answers, refuse, families } = parts

  /** All figures are of one turn; they are written in as many as it takes. */
  const send = (response: WireResponse): void => {
    const headers = [
      ["Content-Type", contentType],
      ["Cache-Control", "no-store"],
    ] as const
    const lines: Array<string> = []
    inFlight.enter()
    response.onAbort(() => {})
    runner.run(
      forEachInSlices(inParts(families()), (part) => lines.push(writePart(part)), 1),
      (exit) => {
        inFlight.leave()
        const about = { endpoint: `GET ${metricsPath}` }
        runner.guard(
          () =>
            Exit.isSuccess(exit)
              ? response.send({ status: 200, headers, body: lines.join("") }, false)
              : response.send(answers.error(internalError(runner.defect(exit.cause, about))), false),
          undefined,
          () => about,
        )
      },
    )
  }

  const wanted = token === null ? null : digest(`Bearer ${token}`)
  return (request: WireRequest, response: WireResponse): void => {
    const isToken = wanted !== null && timingSafeEqual(wanted, digest(request.authorization))
    // A proxy on this machine that says nothing of itself shows at most by the name that it was asked by.
    const isNear = !request.isProxied && addresses.isOfThisMachine(response.address(), request.forwarded)
    const isLocal = wanted === null && isNear && isLoopback(hostName(request.host))
    if (!isToken && !isLocal) return refuse(request, response, notFound())
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse(request, response, methodNotAllowed(["GET", "HEAD"]))
    const refusal = refusalOf(strangers.count(response, strangers.addressOf(request, response), "page"))
    if (refusal !== undefined) return response.send(answers.error(refusal), false)
    runner.guard(
      () => send(response),
      (requestId) => response.send(answers.error(internalError(requestId)), false),
      () => ({ endpoint: `GET ${metricsPath}` }),
    )
  }
}
