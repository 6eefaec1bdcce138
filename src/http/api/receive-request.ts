/**
 * A request that has been matched, up to the turn in which it is handled: its body comes, it waits for its turn, and its
 * method and parameters are read. It counts as in flight already, and leaves here where it is refused or its client goes
 * away, else at the end of handle-request.ts. Called by api.ts.
 */
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import type { Route } from "../../api/endpoint.ts"
import { type ApiError, internalError, methodNotAllowed } from "../../api/errors.ts"
import type { BodyHandlers, WholeBody } from "../bodies/request-bodies.ts"
import type { ArrivedRequest } from "../entrance/request-turns.ts"
import type { FilePart } from "../request/multipart.ts"
import { overrides, type RequestFields, readQuery, readRequest } from "../request/request-fields.ts"
import { type RequestSender, senderOf } from "../senders/request-sender.ts"
import { type ApiContext, countedAddressOf, countInvalidKey, type InputWithoutSender } from "./api-context.ts"
import { type ApiExchange, aboutOf } from "./exchange.ts"
import { handle } from "./handle-request.ts"
import type { PlacedRoute } from "./router.ts"
import { readUpload } from "./upload-requests.ts"
import { readHook, signatureOf } from "./webhook-requests.ts"

/** `found`: the route of the method that was sent, if there is one. */
export const receive = <R>(api: ApiContext<R>, exchange: ApiExchange<R>, found: PlacedRoute<R> | undefined): void => {
  if (!exchange.request.hasBody) return enterTurn(api, exchange, undefined)
  if (found?.route.takesUpload) receiveUpload(api, exchange, found)
  else receiveBody(api, exchange)
}

/** A body that the endpoint reads itself, once it is known who sends it. */
const receiveUpload = <R>(api: ApiContext<R>, exchange: ApiExchange<R>, place: PlacedRoute<R>): void => {
  const read = readUpload(api, exchange, place, countedAddressOf(api, exchange))
  if (Result.isSuccess(read)) return handle(api, exchange, place.route, read.success)
  refuseUnread(api, exchange, read.failure)
  api.inFlight.leave()
}

const receiveBody = <R>(api: ApiContext<R>, exchange: ApiExchange<R>): void => {
  const { response } = exchange
  const endReading = api.bodies.receive(response, () => countedAddressOf(api, exchange), bodyHandlers(api, exchange))
  response.onAbort(() => {
    endReading()
    api.inFlight.leave()
  })
}

const bodyHandlers = <R>(api: ApiContext<R>, exchange: ApiExchange<R>): BodyHandlers => {
  const { response } = exchange
  const count = (address: string, error: ApiError) => countInvalidKey(api, exchange, address, error)
  return {
    judge: (decide) => {
      const address = countedAddressOf(api, exchange)
      const countStranger = (error: ApiError) => count(address, error)
      const routes = candidatesOf(exchange)
      const about = () => aboutOf(exchange)
      api.authorizeBody({ ...signatureOf(exchange, routes), address, routes, about, countStranger }, decide)
    },
    onWhole: (body) => {
      response.onAbort(() => {})
      enterTurn(api, exchange, body)
    },
    onRefused: (error) => {
      // It leaves here, though its answer may be sent after this turn only.
      response.onAbort(() => {})
      // The rest of the body is not waited for.
      response.closeAfterwards()
      const isTooLarge = error.code === "REQUEST_TOO_LARGE"
      api.responder.refuse(exchange, isTooLarge ? count(countedAddressOf(api, exchange), error) : error)
      api.inFlight.leave()
    },
    onCut: () => api.inFlight.leave(),
  }
}

/** All that the request may turn out to ask for. */
const candidatesOf = <R>({ request, match }: ApiExchange<R>): ReadonlyArray<Route<R>> => {
  const sent = match.place.find(request.method)
  const named =
    request.method === "POST" ? [...overrides].flatMap((method) => match.place.find(method)?.route ?? []) : []
  return sent === undefined ? named : [sent.route, ...named]
}

/** A request that has come whole. What is thrown on its way is answered as a defect, and it is over. */
class ReceivedRequest<R> implements ArrivedRequest {
  readonly body: WholeBody | undefined
  readonly #api: ApiContext<R>
  readonly #exchange: ApiExchange<R>

  constructor(api: ApiContext<R>, exchange: ApiExchange<R>, body: WholeBody | undefined) {
    this.#api = api
    this.#exchange = exchange
    this.body = body
  }

  sender(): RequestSender {
    const { response } = this.#exchange
    // A connection that is gone has no address any more.
    const address = () => (response.open ? countedAddressOf(this.#api, this.#exchange) : "")
    return senderOf(this.#api.accounts, signatureOf(this.#exchange, candidatesOf(this.#exchange)), address)
  }

  isReturn(): boolean {
    return candidatesOf(this.#exchange).some((route) => route.isReturn === true)
  }

  begin(): void {
    try {
      begin(this.#api, this.#exchange, this.body?.bytes())
    } catch (fault) {
      this.#exchange.response.guard(() =>
        this.#fail(this.#api.runner.defect(Cause.die(fault), aboutOf(this.#exchange))),
      )
    }
  }

  guard(task: () => void): void {
    this.#api.runner.guard(
      task,
      (requestId) => this.#fail(requestId),
      () => aboutOf(this.#exchange),
    )
  }

  #fail(requestId: string): void {
    this.body?.release()
    this.#api.responder.refuse(this.#exchange, internalError(requestId))
    this.#api.inFlight.leave()
  }
}

/** Has the request begun in its turn. */
const enterTurn = <R>(api: ApiContext<R>, exchange: ApiExchange<R>, body: WholeBody | undefined): void => {
  api.turns.enter(new ReceivedRequest(api, exchange, body))
}

/** Reads the request's method and parameters. */
const begin = <R>(api: ApiContext<R>, exchange: ApiExchange<R>, body: Uint8Array | undefined): void => {
  // The client went away while the request waited for its turn.
  if (!exchange.response.open) return api.inFlight.leave()
  const { place, values } = exchange.match
  const hooked = place.find(exchange.request.method)
  if (hooked?.route.takesWebhook) return beginHook(api, exchange, hooked, body)
  const read = readRequest(exchange.request, body)
  const found = Result.isSuccess(read) ? place.find(read.success.method) : undefined
  if (Result.isSuccess(read) && found !== undefined) {
    const { source, files } = read.success
    for (const [index, name] of found.names.entries()) source.set(name, values[index] ?? "")
    return handle(api, exchange, found.route, askedOf(found, source, files))
  }
  refuseUnread(api, exchange, Result.isFailure(read) ? read.failure : methodNotAllowed(place.allowed))
  api.inFlight.leave()
}

/** Its parameters are in the address; those that are not are looked for in a form. */
const beginHook = <R>(
  api: ApiContext<R>,
  exchange: ApiExchange<R>,
  { route, names, nameSet }: PlacedRoute<R>,
  body: Uint8Array | undefined,
): void => {
  const source = readQuery(exchange.request.query)
  const hook = readHook(exchange.request, body)
  if (Result.isSuccess(source) && Result.isSuccess(hook)) {
    for (const [name, value] of hook.success.fields ?? [])
      if (!source.success.has(name)) source.success.set(name, value)
    for (const [index, name] of names.entries()) source.success.set(name, exchange.match.values[index] ?? "")
    return handle(api, exchange, route, { source: source.success, pathNames: nameSet, webhook: hook.success })
  }
  if (Result.isFailure(source)) refuseUnread(api, exchange, source.failure)
  else if (Result.isFailure(hook)) refuseUnread(api, exchange, hook.failure)
  api.inFlight.leave()
}

/** Files are copied, because the body's memory is the network's; and only for routes that take them. */
const askedOf = <R>(
  { route, nameSet }: PlacedRoute<R>,
  source: RequestFields,
  files: ReadonlyArray<FilePart>,
): InputWithoutSender =>
  route.takesImage
    ? { source, pathNames: nameSet, files: files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) })) }
    : { source, pathNames: nameSet }

/** A request that cannot be read is counted on its address: its signature was not checked. */
const refuseUnread = <R>(api: ApiContext<R>, exchange: ApiExchange<R>, error: ApiError): void =>
  api.responder.refuse(exchange, countInvalidKey(api, exchange, countedAddressOf(api, exchange), error))
