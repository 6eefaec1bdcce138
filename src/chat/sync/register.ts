/**
 * POST /register: the state a client asks for, and a queue that begins exactly where that state ends (I13). What lives
 * in the database is of row Q, what the projection holds of a row P' at or after it; the queue skips between the two
 * what the projection's sections contain already. A visitor without an account gets the state alone.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Clock, type ClockShape } from "../../clock.ts"
import { Config, type ConfigShape } from "../../config.ts"
import { Database, type DatabaseShape } from "../../db/database.ts"
import { type Caller, eitherEndpoint, type Visitor, written } from "../../endpoint.ts"
import { type ApiError, badRequest, Unavailable } from "../../errors.ts"
import { isReceiver, lastIdOf } from "../../events/event.ts"
import type { Feed } from "../../events/feed.ts"
import { member, membersOf } from "../kinds/section-text.ts"
import { containedTypes, isSplit, type SectionView, wants } from "../kinds/section-view.ts"
import { serverVersion } from "../organization/server-settings.ts"
import { isGuest } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireActor } from "../requester/actor.ts"
import { requireReader } from "../requester/requester.ts"
import type { RealmRuntime } from "../runtime/realm-runtime.ts"
import { type QueueDescription, storedNarrow } from "./queue-spec.ts"
import { type RegisterRequest, readRequest, registerParams } from "./register-params.ts"
import { readStoredState, type StoredState } from "./register-store.ts"
import { takeSections } from "./sections.ts"

/** How often a register begins again because a row changed more than its reply carries. */
const retries = 5

/** Who the queue will be for. */
const requireRegistrant = (
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

const conversations = "recent_private_conversations"
/** A visitor has received nothing. */
const nothingStored = { max_message_id: -1, recent: [] }

/** The sections that are of row Q. */
const storedSections = (view: SectionView, stored: Pick<StoredState, "max_message_id" | "recent">) =>
  membersOf({
    ...(wants(view, "message") ? { max_message_id: stored.max_message_id } : {}),
    ...(wants(view, conversations) ? { [conversations]: stored.recent ?? [] } : {}),
  })

interface Parts {
  readonly config: ConfigShape
  readonly database: DatabaseShape
  readonly clock: ClockShape
}

const openQueue = Effect.fnUntraced(function* (
  { config, database, clock }: Parts,
  runtime: RealmRuntime,
  caller: Caller,
  request: RegisterRequest,
) {
  const { realm, feed, queues } = runtime
  const { view, rendering } = request
  yield* Effect.fromResult(requireRegistrant(realm, caller, request))
  for (let round = 0; ; round++) {
    const stored = yield* readStoredState(database, caller.realm, caller.user, wants(view, conversations))
    yield* feed.catchUp(stored.head)
    // From here to the state no other task runs: nothing is yielded in between.
    const found = requireRegistrant(realm, caller, request)
    if (Result.isFailure(found)) return yield* Effect.fail(found.failure)
    if (isTorn(runtime, caller, request, stored.head)) {
      if (round < retries) continue
      return yield* new Unavailable({ reason: "too much changes at once" })
    }
    const user = found.success
    const sections = takeSections({ realm, config, origin: caller.origin, user, now: clock.now() }, view)
    const description: QueueDescription = {
      event_types: request.types,
      narrow: storedNarrow(realm, user, request.narrow),
      all_public_streams: request.allPublicStreams,
      rendering,
      state: { saw: stored.head, width: stored.width, took: feed.position, types: containedTypes(view) },
    }
    const last = lastIdOf(stored.head, stored.width)
    const queue = yield* queues.create(caller.user, description, request.idleSeconds * 1000, last)
    return [
      ...sections,
      ...storedSections(view, stored),
      member("queue_id", queue.spec.id),
      member("last_event_id", last),
    ]
  }
})

/** What is open to everybody, of one moment: nothing tells a visitor of later ones. */
const visit = ({ config, clock }: Parts, { realm }: RealmRuntime, visitor: Visitor, { view }: RegisterRequest) => [
  ...takeSections({ realm, config, origin: visitor.origin, user: null, now: clock.now() }, view),
  ...storedSections(view, nothingStored),
  member("queue_id", null),
  member("last_event_id", -1),
]

export const register = eitherEndpoint({
  method: "POST",
  path: "/register",
  summary: "Opens an event queue and answers the state that its events go on from.",
  params: registerParams,
  run: Effect.fnUntraced(function* (who, params) {
    const parts = { config: yield* Config, database: yield* Database, clock: yield* Clock }
    const { runtime } = yield* requireReader(who)
    const isVisitor = !("user" in who)
    const request = yield* Effect.fromResult(readRequest(params, parts.config.limits, isVisitor ? "visitor" : "user"))
    const state = isVisitor ? visit(parts, runtime, who, request) : yield* openQueue(parts, runtime, who, request)
    return written([...membersOf(serverVersion), ...state, member("idle_queue_timeout_secs", request.idleSeconds)])
  }),
})
