/**
 * GET /metrics: figures for Prometheus, for programs on this machine that come through no proxy, for whoever has the operator's
 * token, and for owners of the only organization, by their API key. To everybody else it does not
 * exist. Made by server.ts.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type ApiError, internalError, methodNotAllowed, notFound } from "../../api/errors.ts"
import type { MetricFamily } from "../../api/metrics.ts"
import { isLoopback } from "../../loopback.ts"
import { forEachInSlices } from "../../slices.ts"
import type { AnswerMaker } from "../answer/make-answers.ts"
import type { ClientAddresses } from "../connections/client-address.ts"
import { admitAccount } from "../entrance/admit-account.ts"
import type { EntranceServices } from "../entrance/entrance.ts"
import type { WireRequest } from "../network/uws.ts"
import type { WireResponse } from "../network/uws-response.ts"
import { hostName, readHost } from "../request/request-headers.ts"
import type { FoundAccount } from "../senders/account-lookup.ts"
import { refusalOf } from "../senders/rate-limit.ts"
import { contentType, inParts, labelled, writePart } from "./exposition.ts"

export const metricsPath = "/metrics"

interface MetricsServices<R>
  extends Pick<EntranceServices<R>, "config" | "accounts" | "rateLimit" | "runner" | "inFlight" | "strangers"> {
  /** Null: only this machine may read. */
  readonly token: string | null
  readonly addresses: Pick<ClientAddresses, "isOfThisMachine">
  readonly answers: AnswerMaker
  /** Counts and refuses a request, as it is done for what does not exist. */
  readonly refuse: (request: WireRequest, response: WireResponse, error: ApiError) => void
  readonly families: () => ReadonlyArray<MetricFamily>
  /** Whether an account may read them; `host`: by which it asks. */
  readonly mayRead: (host: string, account: FoundAccount) => boolean
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

export const makeMetricsPage = <R>(parts: MetricsServices<R>) => {
  const { config, token, runner, inFlight, addresses, strangers, answers, refuse, mayRead, accounts } = parts
  const child = config.processes?.child ?? null
  const families = child === null ? parts.families : () => labelled(parts.families(), { child: String(child) })

  /** An organization that nothing has asked for since the start is not looked for: a page that is open has. */
  const findOwner = (request: WireRequest): FoundAccount | undefined => {
    const host = hostName(readHost(request.host) ?? "")
    const known = request.authorization === "" ? undefined : accounts.known(host, request.authorization)
    const account = known === undefined ? undefined : Result.getOrUndefined(known)
    return account !== undefined && mayRead(host, account) ? account : undefined
  }

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
    const owner = isToken || isLocal ? undefined : findOwner(request)
    if (!isToken && !isLocal && owner === undefined) return refuse(request, response, notFound())
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse(request, response, methodNotAllowed(["GET", "HEAD"]))
    const refusal =
      owner === undefined
        ? refusalOf(strangers.count(response, strangers.addressOf(request, response), "page"))
        : refusalOf(admitAccount(parts, owner, { request, host: readHost(request.host) ?? "", response }, {}).verdict)
    if (refusal !== undefined) return response.send(answers.error(refusal), false)
    runner.guard(
      () => send(response),
      (requestId) => response.send(answers.error(internalError(requestId)), false),
      () => ({ endpoint: `GET ${metricsPath}` }),
    )
  }
}
