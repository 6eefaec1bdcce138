/**
 * Serves pages for people (api/web-page.ts). Nothing is run or loaded in them, no other page may frame them, and where they are
 * is told to no other server. A form is taken only from a page of this server: a browser says where one comes from. Made by
 * server.ts.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import {
  type ApiError,
  badHost,
  internalError,
  methodNotAllowed,
  originRefused,
  serviceUnavailable,
} from "../api/errors.ts"
import type { HtmlPage, WebPage } from "../api/web-page.ts"
import type { ServerAnswer } from "./answer/answer.ts"
import { errorToSend, onlyFailure } from "./answer/make-answers.ts"
import { type RequestBodies, smallBody } from "./bodies/request-bodies.ts"
import type { FailureContext } from "./entrance/effect-runner.ts"
import type { EntranceServices } from "./entrance/entrance.ts"
import type { WireRequest } from "./network/uws.ts"
import type { WireResponse } from "./network/uws-response.ts"
import { type RequestFields, readBody } from "./request/request-fields.ts"
import { hostName, originOf, readHost } from "./request/request-headers.ts"
import { refusalOf } from "./senders/rate-limit.ts"

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
label{display:block;margin:1rem 0 .25rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}
button{font:inherit;margin:1.5rem 0;padding:.5rem 1.5rem}
.fault{color:#a00}`

const styleHash = createHash("sha256").update(style).digest("base64")

const headers: ServerAnswer["headers"] = [
  ["Content-Type", "text/html; charset=utf-8"],
  ["Cache-Control", "no-store"],
  ["X-Content-Type-Options", "nosniff"],
  [
    "Content-Security-Policy",
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ],
  // Not `no-referrer`, with which browsers do not say where a form comes from.
  ["Referrer-Policy", "same-origin"],
  ["X-Robots-Tag", "noindex, nofollow"],
]

const answerOf = ({ status, title, body }: HtmlPage, further: ServerAnswer["headers"] = []): ServerAnswer => ({
  status,
  headers: [...headers, ...further],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
<h1>${title}</h1>
${body}
</html>
`,
})

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const errorAnswer = ({ status, msg, headers: further }: ApiError): ServerAnswer =>
  answerOf({ status, title: "This did not work", body: `<p>${escapeText(msg)}</p>` }, Object.entries(further))

const methods = ["GET", "HEAD", "POST"]

export const makeWebPages = <R>(parts: EntranceServices<R> & { readonly bodies: RequestBodies }) => {
  const { config, accounts, origins, runner, inFlight, strangers, isDraining, bodies } = parts

  const send = (response: WireResponse, answer: ServerAnswer): void => response.send(answer)
  const refuse = (response: WireResponse, error: ApiError): void => send(response, errorAnswer(error))

  const answer = (
    page: WebPage<R>,
    request: WireRequest,
    response: WireResponse,
    address: string,
    form: RequestFields | null,
  ): void => {
    const host = readHost(request.host) ?? ""
    const name = request.path.slice(page.prefix.length)
    // Its name may be a link that only its reader knows: no line of the log has it.
    let about: FailureContext = { endpoint: `${request.method} ${page.prefix}` }
    const made = Effect.flatMap(accounts.findRealm(hostName(host)), (realm) => {
      if (realm !== null) about = { ...about, organization: realm }
      return page.run({ name, realm, origin: originOf(parts, host), address, form })
    })
    response.onAbort(() => {})
    runner.run(made, (exit) => {
      runner.guard(() => {
        if (Exit.isSuccess(exit)) return send(response, answerOf(exit.value))
        const failure = onlyFailure(exit.cause)
        if (failure === undefined) return refuse(response, internalError(runner.defect(exit.cause, about)))
        const error = errorToSend(failure)
        if (error === undefined) response.cut()
        else refuse(response, error)
      })
      inFlight.leave()
    })
  }

  /** A form is as small as anything that comes without an account. */
  const receive = (page: WebPage<R>, request: WireRequest, response: WireResponse, address: string): void => {
    const allowance = { who: address, isAccount: false, limit: smallBody(config.limits) }
    const end = bodies.receive(response, () => address, {
      judge: (decide) => decide(allowance),
      onWhole: (body) => {
        const form = readBody(body.bytes(), request.contentType)
        body.release()
        if (Result.isSuccess(form)) return answer(page, request, response, address, form.success)
        refuse(response, form.failure)
        inFlight.leave()
      },
      onRefused: (error) => {
        response.onAbort(() => {})
        response.closeAfterwards()
        refuse(response, error)
        inFlight.leave()
      },
      onCut: () => inFlight.leave(),
    })
    response.onAbort(() => {
      end()
      inFlight.leave()
    })
  }

  return (page: WebPage<R>, request: WireRequest, response: WireResponse): void => {
    const address = strangers.addressOf(request, response)
    const refusal = refusalOf(strangers.count(response, address))
    if (refusal !== undefined) return refuse(response, refusal)
    if (!methods.includes(request.method)) return refuse(response, methodNotAllowed(methods))
    if (readHost(request.host) === undefined) return refuse(response, badHost())
    if (isDraining()) return refuse(response, serviceUnavailable(1))
    const isForm = request.method === "POST"
    if (isForm && !origins.mayConnect(request.origin, request.host)) return refuse(response, originRefused())
    inFlight.enter()
    if (isForm && request.hasBody) receive(page, request, response, address)
    else answer(page, request, response, address, isForm ? new Map() : null)
  }
}
