/**
 * What an open port answers before the program serves: that the process lives, and to all else that it is starting. A start that
 * migrates a large database takes minutes, in which nobody should take the process for dead. Used by uws.ts.
 */
import type { WireResponse } from "./uws-response.ts"
import type { WireRequest } from "./wire-request.ts"

export const alivePath = "/health"
/** The answer of that path, also while the program serves (http/health-pages.ts). */
export const aliveText = '{"status":"alive"}'

const json = ["Content-Type", "application/json"] as const

const isLook = ({ method, path }: WireRequest): boolean => path === alivePath && (method === "GET" || method === "HEAD")

/** Closes each connection: the limits on them are those of a program that serves. */
export const answerEarly = (request: WireRequest, response: WireResponse): void =>
  isLook(request)
    ? response.send({ status: 200, headers: [json, ["Cache-Control", "no-store"]], body: aliveText }, true)
    : response.send(
        {
          status: 503,
          headers: [json, ["Retry-After", "1"]],
          body: '{"result":"error","msg":"The server is starting","code":"SERVICE_UNAVAILABLE"}',
        },
        true,
      )
