/**
 * Requests in which other services tell what has happened there (web hooks): the key in their address, and their body as
 * text. What it says is the chat's business. Used by receive-request.ts and handle-request.ts.
 */
import { isUtf8 } from "node:buffer"
import * as Result from "effect/Result"
import type { Route } from "../../api/endpoint.ts"
import { type Checked, invalidJson } from "../../api/errors.ts"
import type { WebhookBody } from "../../api/webhook-body.ts"
import type { WireRequest } from "../network/wire-request.ts"
import { readBody, readQuery } from "../request/request-fields.ts"
import { hostName } from "../request/request-headers.ts"
import type { RequestSignature } from "../senders/find-account.ts"
import type { ApiExchange } from "./exchange.ts"

/**
 * The key by which such a request is signed, empty where its address has none; undefined where the request is signed in the
 * usual way, or its route takes no such key.
 */
const hookKeyOf = <R>(
  { request }: Pick<ApiExchange<R>, "request">,
  routes: ReadonlyArray<Pick<Route<R>, "takesWebhook">>,
): string | undefined => {
  if (request.authorization !== "" || !routes.some(({ takesWebhook }) => takesWebhook)) return undefined
  const query = readQuery(request.query)
  return (Result.isSuccess(query) ? query.success.get("api_key") : undefined)?.trim() ?? ""
}

/** What a request is signed with, for whichever of these routes it may ask. */
export const signatureOf = <R>(
  exchange: Pick<ApiExchange<R>, "request" | "host">,
  routes: ReadonlyArray<Pick<Route<R>, "takesWebhook">>,
): RequestSignature => ({
  host: hostName(exchange.host),
  authorization: exchange.request.authorization,
  botKey: hookKeyOf(exchange, routes),
})

/** Many send JSON without saying so: what begins as JSON is none of their forms. */
const beginsAsJson = /^\s*[[{"]/

const isForm = (contentType: string): boolean =>
  /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(contentType)

/** `body`: undefined where there is none. */
export const readHook = (
  { contentType, hookEvent: event, hookDelivery: delivery }: WireRequest,
  body: Uint8Array | undefined,
): Checked<WebhookBody> => {
  const bytes = body ?? new Uint8Array()
  const text = isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
    : undefined
  if (!isForm(contentType) || (text !== undefined && beginsAsJson.test(text)))
    return text === undefined ? Result.fail(invalidJson()) : Result.succeed({ text, fields: null, event, delivery })
  return Result.map(readBody(bytes, contentType), (fields) => {
    const payload = fields.get("payload")
    return { text: payload ?? "", fields: payload === undefined ? fields : null, event, delivery }
  })
}
