/**
 * Requests that reach the writer in the same turn of the event loop: they go straight to their endpoints, without the
 * HTTP server, whose sockets would spread them over several turns. So a test decides what is in one batch, and in which
 * order.
 */
import * as Effect from "effect/Effect"
import type { Route } from "../../src/api/endpoint.ts"
import type { ApiError, RequestFailure } from "../../src/api/errors.ts"
import type { AppServices } from "../../src/app.ts"
import { endpoints as routes } from "../../src/chat/features.ts"
import type { JsonObject } from "../../src/json.ts"
import { type Fields, formOf } from "./client.ts"
import type { Name, TestServer } from "./with-server.ts"

export type Told =
  | { readonly told: "done"; readonly data: JsonObject }
  | { readonly told: "refused"; readonly error: ApiError }
  /** Answered 503: certainly not done. */
  | { readonly told: "unavailable" }
  /** The outcome is unknown: the connection would be cut. */
  | { readonly told: "nothing" }
  /** Answered 500. */
  | { readonly told: "defect" }

const toldOf = (failure: RequestFailure): Told => {
  switch (failure._tag) {
    case "ApiError":
      return { told: "refused", error: failure }
    case "Unavailable":
      return { told: "unavailable" }
    case "OutcomeUnknown":
      return { told: "nothing" }
  }
}

/** Sends a request as a signed-in user whose key has been checked; `what`: like `POST /messages`. Never rejects. */
export const ask = (server: TestServer, name: Name, what: string, fields: Fields): Promise<Told> => {
  const route: Route<AppServices> | undefined = routes.find(({ method, path }) => `${method} ${path}` === what)
  if (route === undefined || route.access === "anyone") throw new Error(`no endpoint for users is ${what}`)
  const user = server.idOf(name)
  const keyVersion = server.realm.realm.users.get(user)?.key_version ?? 0
  const who = { realm: server.realmId, user, keyVersion, client: "test", origin: server.origin }
  const request = route.handle({ who, source: new Map(formOf(fields)), pathNames: new Set() })
  const told = request.pipe(
    Effect.map(({ reply }): Told => ({ told: "done", data: reply._tag === "Data" ? reply.data : {} })),
    Effect.catch((failure) => Effect.succeed(toldOf(failure))),
    Effect.catchDefect(() => Effect.succeed<Told>({ told: "defect" })),
  )
  return server.run(told)
}
