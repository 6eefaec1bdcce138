/** One request and its answer, by fetch: a success, a `Refused` or an `Unanswered`. Nothing is tried again here. */
import type { EncodedCall } from "./encode.ts"
import { type RefusalBody, Refused, Unanswered } from "./errors.ts"
import type { Operation, Reply } from "./operations.ts"
import type { PauseBounds } from "./pauses.ts"

/** Who asks. `apiKey`: from `POST /fetch_api_key`, for example. */
export interface Account {
  readonly email: string
  readonly apiKey: string
}

export interface ClientWire {
  /** The server's address, without a trailing slash. */
  readonly server: string
  readonly account: Account | undefined
  readonly fetch: typeof fetch
  /** Between tries; undefined: as calls and readers have them by themselves. */
  readonly pauses: PauseBounds | undefined
}

export interface ExchangeLimits {
  /** Aborts the request; the promise rejects with its reason. */
  readonly signal: AbortSignal | undefined
  /** After these the answer counts as lost. */
  readonly milliseconds: number
}

/** A longer one would end at once. */
const longestTimer = 2 ** 31 - 1

/** `btoa` takes bytes, an address may have any character. */
const basic = ({ email, apiKey }: Account): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${email}:${apiKey}`)))}`

const headersOf = ({ account }: ClientWire, { body }: EncodedCall): Record<string, string> => ({
  ...(account === undefined ? {} : { Authorization: basic(account) }),
  ...(typeof body === "string" ? { "Content-Type": "application/x-www-form-urlencoded" } : {}),
})

/** Words of Node's network for a connection that was never made. */
const unmade: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
])

const neverArrived = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" && unmade.has(cause.code)
}

const retryAfter = (response: Response, { "retry-after": told }: RefusalBody): number | null => {
  const seconds = Number(told ?? response.headers.get("Retry-After") ?? Number.NaN)
  return Number.isFinite(seconds) ? 1000 * seconds : null
}

type ClientAnswer<Op extends Operation> = ({ readonly result: "success" } & Reply<Op>) | RefusalBody<Op>

/** A proxy's page is none, for example. What an answer has inside is the server's word. */
const isAnswer = <Op extends Operation>(body: unknown): body is ClientAnswer<Op> =>
  typeof body === "object" &&
  body !== null &&
  "result" in body &&
  (body.result === "success" || (body.result === "error" && "code" in body && "msg" in body))

const parse = <Op extends Operation>(text: string): ClientAnswer<Op> | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return isAnswer<Op>(body) ? body : undefined
  } catch {
    return undefined
  }
}

const read = async <Op extends Operation>(operation: Op, response: Response): Promise<Reply<Op>> => {
  const answer = parse<Op>(await response.text())
  if (answer === undefined)
    throw new Unanswered(operation, `something else than the API answered ${response.status}`, true)
  if (answer.result === "success") return answer
  throw new Refused(operation, response.status, answer, retryAfter(response, answer))
}

export const exchange = async <Op extends Operation>(
  wire: ClientWire,
  operation: Op,
  request: EncodedCall,
  { signal, milliseconds }: ExchangeLimits,
): Promise<Reply<Op>> => {
  signal?.throwIfAborted()
  const ended = new AbortController()
  const abort = () => ended.abort(signal?.reason)
  const timer = setTimeout(() => ended.abort(), Math.min(milliseconds, longestTimer))
  signal?.addEventListener("abort", abort)
  try {
    const response = await wire.fetch(`${wire.server}${request.path}`, {
      method: request.method,
      headers: headersOf(wire, request),
      body: request.body,
      signal: ended.signal,
      // Accounts are named by the header. Without this a browser would ask people for a password after a 401.
      credentials: "omit",
    })
    return await read(operation, response)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof Refused || error instanceof Unanswered) throw error
    if (ended.signal.aborted)
      throw new Unanswered(operation, `no answer came within ${Math.round(milliseconds)} ms`, true)
    throw new Unanswered(operation, "no answer came", !neverArrived(error), error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}
