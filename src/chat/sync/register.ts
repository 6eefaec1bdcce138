/**
 * POST /register: the state a client asks for, and a queue that begins exactly where that state ends (I13). What lives
 * in the database is of row Q, what the projection holds of a row P' at or after it; the queue skips between the two
 * what the projection's sections contain already. A visitor without an account gets the state alone.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Clock, type ClockShape } from "../../clock.ts"
import { Config, type ConfigShape } from "../../config.ts"
import { Database, type DatabaseShape } from "../../db/database.ts"
import { type Caller, eitherEndpoint, type Visitor, written } from "../../endpoint.ts"
import { type ApiError, badRequest, Unavailable } from "../../errors.ts"
import { type Command, call, done, judged, refused } from "../../events/command.ts"
import { isReceiver, lastIdOf } from "../../events/event.ts"
import type { Feed } from "../../events/feed.ts"
import { Catalog } from "../kinds/catalog.ts"
import { isStoredSection, isWanted, type Members, type Section } from "../kinds/section.ts"
import { member, membersOf } from "../kinds/section-text.ts"
import { serverVersion } from "../organization/server-settings.ts"
import { isGuest } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { RealmRuntime } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireActor } from "../requester/actor.ts"
import { requireReader } from "../requester/requester.ts"
import { type QueueDescription, storedNarrow } from "./queue-spec.ts"
import { type RegisterRequest, readRequest, registerParams } from "./register-params.ts"
import { registerReply } from "./register-schema.ts"
import { findStoredState, readStoredState, type StoredState } from "./register-store.ts"
import { type Containing, containedIn, takeSections } from "./sections.ts"

/** How often a register begins again because a row changed more than its reply carries; then the commits wait for it. */
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
  types: RegisterRequest["types"],
  isSplit: Containing["isSplit"],
  saw: number,
): boolean => {
  for (let position = saw + 1; position <= feed.position; position++) {
    const row = ring.at(position)
    if (row === undefined) return true
    if (types !== null && !types.includes(row.type)) continue
    if (isSplit(row.type) && isReceiver(row.audience, position, caller.user, realm)) return true
  }
  return false
}

interface Parts {
  readonly config: ConfigShape
  readonly database: DatabaseShape
  readonly clock: ClockShape
  readonly catalog: Catalog["Service"]
}

/** A reply's state, and the queue that goes on from it. */
interface Taken {
  readonly members: Members
  readonly description: QueueDescription
  readonly last: ReturnType<typeof lastIdOf>
}

/** What a register that was admitted goes on with. */
interface Registering {
  readonly runtime: RealmRuntime
  readonly caller: Caller
  readonly request: RegisterRequest
  readonly containing: Containing
}

/** The state as it is now: no other task may run between this and the look at what was torn. */
const take = (parts: Parts, registering: Registering, user: UserRecord, stored: StoredState): Taken => {
  const { runtime, caller, request, containing } = registering
  const { realm, feed } = runtime
  const source = { realm, config: parts.config, origin: caller.origin, user, now: parts.clock.now() }
  return {
    members: takeSections(parts.catalog.sections, source, request.view, stored.values),
    description: {
      event_types: request.types,
      narrow: storedNarrow(realm, user, request.narrow),
      all_public_streams: request.allPublicStreams,
      rendering: request.rendering,
      state: { saw: stored.head, width: stored.width, took: feed.position, types: containing.types },
    },
    last: lastIdOf(stored.head, stored.width),
  }
}

/** The same as a command, which is taken as it settles: no row comes between what the database and the projection say. */
const takeUnderLock = (parts: Parts, registering: Registering, wanted: Readonly<Record<string, string>>) => {
  const { caller, request } = registering
  const command: Command<Realm, Taken> = {
    judge: (realm) =>
      judged(requireRegistrant(realm, caller, request), (user) =>
        // It changes nothing, but nothing may follow it in its commit.
        call("register_state_v1", { user_id: caller.user, sections: wanted }, true, (outcome) =>
          // The answer was lost, and only that the commit is done is known: nothing was changed by it.
          Predicate.isObject(outcome) && !("values" in outcome)
            ? refused(new Unavailable({ reason: "the state was read and lost" }))
            : done(take(parts, registering, user, readStoredState(outcome))),
        ),
      ),
  }
  return registering.runtime.writer.submit(command)
}

const takeState = Effect.fnUntraced(function* (parts: Parts, registering: Registering) {
  const { runtime, caller, request, containing } = registering
  const { realm, feed } = runtime
  yield* Effect.fromResult(requireRegistrant(realm, caller, request))
  const sections = parts.catalog.sections.filter(isStoredSection)
  const wanted = sections.filter((section) => isWanted(section, request.view))
  const names = wanted.map(({ name }) => name)
  for (let round = 0; round < retries; round++) {
    const stored = yield* findStoredState(parts.database, caller.realm, caller.user, sections, names)
    yield* feed.catchUp(stored.head)
    // From here to the state no other task runs: nothing is yielded in between.
    const user = requireRegistrant(realm, caller, request)
    if (Result.isFailure(user)) return yield* Effect.fail(user.failure)
    if (!isTorn(runtime, caller, request.types, containing.isSplit, stored.head))
      return take(parts, registering, user.success, stored)
  }
  const functions = Object.fromEntries(wanted.map(({ name, stored }) => [name, stored]))
  return yield* takeUnderLock(parts, registering, functions)
})

const openQueue = Effect.fnUntraced(function* (
  parts: Parts,
  runtime: RealmRuntime,
  caller: Caller,
  request: RegisterRequest,
) {
  const { kinds, sections } = parts.catalog
  const containing = containedIn(kinds.values(), sections, request.view)
  const { members, description, last } = yield* takeState(parts, { runtime, caller, request, containing })
  const queue = yield* runtime.queues.create(caller.user, description, request.idleSeconds * 1000, last)
  return [...members, member("queue_id", queue.spec.id), member("last_event_id", last)]
})

/** What is open to everybody, of one moment: nothing tells a visitor of later ones. */
const visit = (
  { config, clock, catalog }: Parts,
  { realm }: RealmRuntime,
  visitor: Visitor,
  request: RegisterRequest,
) => {
  const source = { realm, config, origin: visitor.origin, user: null, now: clock.now() }
  return [
    ...takeSections(catalog.sections, source, request.view, null),
    member("queue_id", null),
    member("last_event_id", -1),
  ]
}

/** `sections`: all that there are, of which the reply is made. */
export const registerWith = (sections: ReadonlyArray<Section>) =>
  eitherEndpoint({
    method: "POST",
    path: "/register",
    summary: "Opens an event queue and answers the state that its events go on from.",
    params: registerParams,
    reply: registerReply(sections),
    errors: [],
    run: Effect.fnUntraced(function* (who, params) {
      const catalog = yield* Catalog
      const parts: Parts = { config: yield* Config, database: yield* Database, clock: yield* Clock, catalog }
      const { runtime } = yield* requireReader(who)
      const isVisitor = !("user" in who)
      const request = yield* Effect.fromResult(readRequest(params, parts.config.limits, isVisitor ? "visitor" : "user"))
      const state = isVisitor ? visit(parts, runtime, who, request) : yield* openQueue(parts, runtime, who, request)
      return written([...membersOf(serverVersion), ...state, member("idle_queue_timeout_secs", request.idleSeconds)])
    }),
  })
