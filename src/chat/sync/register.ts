/**
 * POST /register: the state a client asks for, and a queue that begins exactly where that state ends (I13). What lives
 * in the database is of row Q, what the projection holds of a row P' at or after it; the queue skips between the two
 * what the projection's sections contain already.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Clock } from "../../clock.ts"
import { Config, type ConfigShape } from "../../config.ts"
import { Database } from "../../db/database.ts"
import { type Caller, data, userEndpoint } from "../../endpoint.ts"
import { type ApiError, badRequest, Unavailable } from "../../errors.ts"
import { isReceiver, lastIdOf } from "../../events/event.ts"
import type { Feed } from "../../events/feed.ts"
import type { JsonObject } from "../../json.ts"
import { requireActor } from "../actor.ts"
import { isGuest } from "../permissions.ts"
import type { Realm } from "../realm.ts"
import type { RealmRuntime } from "../realm-runtime.ts"
import { Realms } from "../realms.ts"
import type { UserRecord } from "../records.ts"
import { serverVersion } from "../server-settings.ts"
import type { QueueDescription } from "./queue-spec.ts"
import { type RegisterRequest, readRequest, registerParams } from "./register-params.ts"
import { readStoredState, type StoredState } from "./register-store.ts"
import { containedTypes, isSplit, takeSections, wants } from "./sections.ts"

/** How often a register begins again because a row changed more than its reply carries. */
const retries = 5

const requireReader = (
  realm: Realm,
  caller: Caller,
  { allPublicStreams }: RegisterRequest,
): Result.Result<UserRecord, ApiError> =>
  Result.flatMap(requireActor(realm, caller), (user) =>
    allPublicStreams && isGuest(user)
      ? Result.fail(badRequest("User not authorized for this query"))
      : Result.succeed(user),
  )

/**
 * Whether the projection has moved on from `saw` over a row that is news to this client beyond the sections it gets:
 * the queue would skip the row whole.
 */
export const isTorn = (
  { realm, ring, feed }: Pick<RealmRuntime, "realm" | "ring"> & { readonly feed: Pick<Feed, "position"> },
  caller: Pick<Caller, "user">,
  { types, view }: Pick<RegisterRequest, "types" | "view">,
  saw: number,
): boolean => {
  for (let position = saw + 1; position <= feed.position; position++) {
    const row = ring.at(position)
    if (row === undefined) return true
    if (types !== null && !types.includes(row.type)) continue
    if (isSplit(view, row.type) && isReceiver(row.audience, position, caller.user, realm)) return true
  }
  return false
}

interface State {
  readonly description: QueueDescription
  readonly sections: JsonObject
}

/** All that the projection holds; called in one turn. */
const takeState = (
  { realm, feed }: RealmRuntime,
  config: ConfigShape,
  user: UserRecord,
  request: RegisterRequest,
  stored: StoredState,
  now: number,
): State => ({
  description: {
    event_types: request.types,
    narrow: request.narrow,
    all_public_streams: request.allPublicStreams,
    rendering: request.rendering,
    state: { saw: stored.head, width: stored.width, took: feed.position, types: containedTypes(request.view) },
  },
  sections: {
    ...takeSections(realm, config, user, request.view, now),
    ...(wants(request.view, "message") ? { max_message_id: stored.max_message_id } : {}),
  },
})

export const register = userEndpoint({
  method: "POST",
  path: "/register",
  summary: "Opens an event queue and answers the state that its events go on from.",
  params: registerParams,
  run: Effect.fnUntraced(function* (caller, params) {
    const config = yield* Config
    const database = yield* Database
    const clock = yield* Clock
    const realms = yield* Realms
    const request = yield* Effect.fromResult(readRequest(params, config.limits))
    const runtime = yield* realms.get(caller.realm)
    yield* Effect.fromResult(requireReader(runtime.realm, caller, request))
    for (let round = 0; ; round++) {
      const stored = yield* readStoredState(database, caller.realm, caller.user)
      yield* runtime.feed.catchUp(stored.head)
      // From here to the state no other task runs: nothing is yielded in between.
      const user = requireReader(runtime.realm, caller, request)
      if (Result.isFailure(user)) return yield* Effect.fail(user.failure)
      if (isTorn(runtime, caller, request, stored.head)) {
        if (round < retries) continue
        return yield* new Unavailable({ reason: "too much changes at once" })
      }
      const { description, sections } = takeState(runtime, config, user.success, request, stored, clock.now())
      const last = lastIdOf(stored.head, stored.width)
      const queue = yield* runtime.queues.create(caller.user, description, request.idleSeconds * 1000, last)
      return data({
        ...serverVersion,
        ...sections,
        queue_id: queue.spec.id,
        last_event_id: last,
        idle_queue_timeout_secs: request.idleSeconds,
      })
    }
  }),
})
