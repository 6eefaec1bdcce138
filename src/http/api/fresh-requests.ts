/**
 * Requests where several processes serve one database: what is answered is not older than what was committed before the request
 * came, by whichever process. Each endpoint says when that is to be seen to (`fresh` in api/endpoint.ts).
 */
import * as Effect from "effect/Effect"
import type { HandledRequest, RequestInput, Route } from "../../api/endpoint.ts"
import type { RequestFailure, Unavailable } from "../../api/errors.ts"
import { Submission } from "../../api/submission.ts"
import type { RealmId } from "../../ids.ts"

export interface Freshness {
  /** Brings an organization up to all that was committed before. */
  readonly fresh: (realm: RealmId) => Effect.Effect<void, Unavailable>
  /** Its newest row here. */
  readonly position: (realm: RealmId) => number
}

/** Its requester, as far as that matters. */
type Who = { readonly realm: RealmId | null }

/** Runs a route's endpoint. `freshness`: null where this process is alone, which then pays nothing. */
export const handleFreshly = <W extends Who, R>(
  freshness: Freshness | null,
  {
    fresh,
    handle,
  }: {
    readonly fresh: Route<R>["fresh"]
    readonly handle: (input: RequestInput<W>) => Effect.Effect<HandledRequest, RequestFailure, R>
  },
  input: RequestInput<W>,
): Effect.Effect<HandledRequest, RequestFailure, R> => {
  const { realm } = input.who
  if (freshness === null || realm === null || fresh === "none") return handle(input)
  if (fresh === "before")
    return Effect.andThen(
      freshness.fresh(realm),
      Effect.suspend(() => handle(input)),
    )
  return Effect.suspend(() => {
    const submission = { isMade: false }
    const began = freshness.position(realm)
    return Effect.catch(Effect.provideService(handle(input), Submission, submission), (failure) => {
      if (failure._tag !== "ApiError" || submission.isMade) return Effect.fail(failure)
      return Effect.andThen(
        freshness.fresh(realm),
        Effect.suspend(() => (freshness.position(realm) > began ? handle(input) : Effect.fail(failure))),
      )
    })
  })
}
