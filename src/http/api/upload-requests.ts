/**
 * Requests whose body is one file of any size, which the endpoint reads as it comes, after it is known who sends it. Used
 * by receive-request.ts.
 */
import * as Result from "effect/Result"
import type { RequestInput } from "../../api/endpoint.ts"
import type { Checked } from "../../api/errors.ts"
import type { ClockShape } from "../../clock.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import { streamBody } from "../bodies/body-stream.ts"
import type { PartPool } from "../bodies/part-pool.ts"
import { readUploadForm } from "../bodies/upload-form.ts"
import { readQuery } from "../request/request-fields.ts"
import type { ApiExchange } from "./exchange.ts"
import type { PlacedRoute } from "./router.ts"

interface UploadServices {
  readonly clock: ClockShape
  readonly refusals: RefusalsShape
  readonly partPool: PartPool
}

/**
 * To be called in the request's handler. Parameters come from the path and the query: the body is the endpoint's.
 * `address`: the name under which a client that is too slow is noted.
 */
export const readUpload = <R>(
  { clock, refusals, partPool }: UploadServices,
  { request, response, match }: Pick<ApiExchange<R>, "request" | "response" | "match">,
  { names, nameSet }: PlacedRoute<R>,
  address: string,
): Checked<Omit<RequestInput<never>, "who">> => {
  const body = streamBody(response, clock, partPool, () => refusals.note("request bodies", address))
  response.onAbort(body.end)
  return Result.map(readQuery(request.query), (source) => {
    for (const [index, name] of names.entries()) source.set(name, match.values[index] ?? "")
    const upload = readUploadForm(body, request.contentType, request.contentLength)
    return { source, pathNames: nameSet, upload }
  })
}
