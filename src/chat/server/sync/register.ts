/**
 * POST /register: the state that a client asks for, and a queue that begins exactly where that state ends (I13). The
 * sections from the database are as of a position Q, those of the projection as of a position P' at or after Q. Between
 * the two the queue skips the rows that the sections of the projection contain already. A visitor gets the state only.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type Caller, eitherEndpoint, requesterKind, requesterName, type Visitor } from "../../../api/endpoint.ts"
import { badRequest, type Checked, Unavailable } from "../../../api/errors.ts"
import { Clock, type ClockShape } from "../../../clock.ts"
import { Config, type ConfigShape } from "../../../config/config.ts"
import { type Conflict, conflict, retryOnConflict } from "../../../conflict.ts"
import { type UserRead, UserReads } from "../../../db/reads.ts"
import { type Command, call, done, judgementOf, refused } from "../../../events/command.ts"
import { isReceiver, lastIdOf } from "../../../events/event.ts"
import type { RealmFeed } from "../../../events/feed.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { Catalog } from "../../ground/kinds/catalog.ts"
import {
  isStoredSection,
  isWanted,
  type Section,
  type SectionMembers,
  type SectionSource,
} from "../../ground/kinds/section.ts"
import { member, membersOf } from "../../ground/kinds/section-text.ts"
import { wants } from "../../ground/kinds/section-view.ts"
import { userStatuses } from "../../ground/kinds/user-statuses.ts"
import { isGuest } from "../../ground/permissions/permissions.ts"
import { presences } from "../../ground/presences/presences.ts"
import { profileValues } from "../../ground/profiles/profile-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { RealmRuntime } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireReader } from "../../ground/requester/requester.ts"
import { serverVersion } from "../../organization/organization/server-settings.ts"
import { memberBytes } from "../../people/presence/presence-forms.ts"
import { queueScopeOf } from "./queue-defaults.ts"
import { type QueueDescription, storedNarrow } from "./queue-description.ts"
import { type RegisterRequest, readRequest, registerParams } from "./register-params.ts"
import { registerReply } from "./register-schema.ts"
import { type ContainedTypes, containedIn, prepareSections, takeSections } from "./register-sections.ts"
import { findStoredState, readStoredState, type StoredState } from "./register-store.ts"

/** Most times that a register is tried again if a row overtakes it (`isTorn`); after that it is done as a command. */
const retries = 5

/** The user of the new queue, or the refusal. */
const requireRegistrant = (realm: Realm, caller: Caller, { allPublicStreams }: RegisterRequest): Checked<UserRecord> =>
  Result.flatMap(requireActor(realm, caller), (user) =>
    allPublicStreams === true && isGuest(user)
      ? Result.fail(badRequest("User not authorized for this query"))
      : Result.succeed(user),
  )

/**
 * Whether between the position `saw` of the stored sections and the position of the projection there is a row for this
 * client that changes sections of both kinds. The queue would skip such a row, and its change of the stored section.
 */
export const isTorn = (
  { realm, ring, feed }: Pick<RealmRuntime, "realm" | "ring"> & { readonly feed: Pick<RealmFeed, "position"> },
  caller: Pick<Caller, "user">,
  types: RegisterRequest["types"],
  isSplit: ContainedTypes["isSplit"],
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

interface RegisterServices {
  readonly config: ConfigShape
  readonly reads: UserReads["Service"]
  readonly clock: ClockShape
  readonly catalog: Catalog["Service"]
}

/** The state of a reply, and the description of the queue that continues it. */
interface RegisteredState {
  readonly members: SectionMembers
  readonly description: QueueDescription
  readonly last: ReturnType<typeof lastIdOf>
}

/** A register whose parameters and requester have been checked. */
interface CheckedRegister {
  readonly runtime: RealmRuntime
  readonly caller: Caller
  readonly request: RegisterRequest
  readonly containing: ContainedTypes
  readonly reading: UserRead
}

const sourceOf = (
  { config, clock }: RegisterServices,
  realm: Realm,
  { origin }: Pick<Caller, "origin">,
  user: UserRecord | null,
): SectionSource => ({ realm, config, origin, user, now: clock.now() })

/** Takes the state of the projection. Must run in the same turn of the event loop as the call of `isTorn`. */
const take = (
  parts: RegisterServices,
  registering: CheckedRegister,
  user: UserRecord,
  stored: StoredState,
): RegisteredState => {
  const { runtime, caller, request, containing } = registering
  const { realm, feed } = runtime
  const { narrow, all_public_streams } = queueScopeOf(realm, user, request)
  return {
    members: takeSections(parts.catalog.sections, sourceOf(parts, realm, caller, user), request.view, stored.values),
    description: {
      event_types: request.types,
      narrow: storedNarrow(realm, user, narrow),
      all_public_streams,
      rendering: request.rendering,
      state: { saw: stored.head, width: stored.width, took: feed.position, types: containing.types },
    },
    last: lastIdOf(stored.head, stored.width),
  }
}

/**
 * Takes the state by a command, as it settles: no row of this process can come between the database and the projection then.
 * One of another process can, where the projection had to be moved over others to get there.
 */
const takeUnderLock = (
  parts: RegisterServices,
  registering: CheckedRegister,
  wanted: Readonly<Record<string, ReadonlyArray<string>>>,
) => {
  const { runtime, caller, request, containing } = registering
  const command: Command<Realm, RegisteredState | Conflict> = {
    judge: (realm) =>
      judgementOf(requireRegistrant(realm, caller, request), (user) =>
        // `true`: it must be the last call of its commit, although it changes nothing.
        call("register_state_v2", { user_id: caller.user, sections: wanted }, true, (outcome) => {
          // The commit's answer was lost; the commit changed nothing, so the client may simply try again.
          if (Predicate.isObject(outcome) && !("values" in outcome))
            return refused(new Unavailable({ reason: "the state was read and lost" }))
          const stored = readStoredState(outcome)
          return isTorn(runtime, caller, request.types, containing.isSplit, stored.head)
            ? done<RegisteredState | Conflict>(conflict)
            : done<RegisteredState | Conflict>(take(parts, registering, user, stored))
        }),
      ),
  }
  const giveUp = Effect.fail(new Unavailable({ reason: "the organization changes while its state is taken" }))
  return retryOnConflict(retries, runtime.writer.submit(command), giveUp)
}

const takeState = Effect.fnUntraced(function* (parts: RegisterServices, registering: CheckedRegister) {
  const { runtime, caller, request, containing } = registering
  const { realm, feed } = runtime
  const registrant = yield* Effect.fromResult(requireRegistrant(realm, caller, request))
  yield* prepareSections(parts.catalog.sections, sourceOf(parts, realm, caller, registrant), request.view)
  const sections = parts.catalog.sections.filter(isStoredSection)
  const wanted = sections.filter((section) => isWanted(section, request.view))
  const names = wanted.map(({ name }) => name)
  const attempt = Effect.gen(function* () {
    const stored = yield* findStoredState(registering.reading, caller.realm, caller.user, sections, names)
    yield* feed.catchUp(stored.head)
    // From here until the state is taken there is no await, so no other task runs.
    const user = requireRegistrant(realm, caller, request)
    if (Result.isFailure(user)) return yield* Effect.fail(user.failure)
    return isTorn(runtime, caller, request.types, containing.isSplit, stored.head)
      ? conflict
      : take(parts, registering, user.success, stored)
  })
  const functions = Object.fromEntries(
    wanted.map(({ name, stored, storedOf }) => [name, storedOf === undefined ? [stored] : [stored, storedOf]]),
  )
  return yield* retryOnConflict(retries, attempt, takeUnderLock(parts, registering, functions))
})

const openQueue = Effect.fnUntraced(function* (
  parts: RegisterServices,
  runtime: RealmRuntime,
  caller: Caller,
  request: RegisterRequest,
) {
  const { kinds, sections } = parts.catalog
  const containing = containedIn(kinds.values(), sections, request.view)
  const { members, description, last } = yield* takeState(parts, {
    runtime,
    caller,
    request,
    containing,
    reading: parts.reads.begin(requesterName(caller)),
  })
  const queue = yield* runtime.queues.create(caller.user, description, request.idleSeconds * 1000, last)
  return [...members, member("queue_id", queue.spec.id), member("last_event_id", last)]
})

/** The reply for a visitor: the public state of this moment, without a queue. */
const visit = Effect.fnUntraced(function* (
  parts: RegisterServices,
  { realm }: RealmRuntime,
  visitor: Visitor,
  { view }: RegisterRequest,
) {
  const { sections } = parts.catalog
  const source = sourceOf(parts, realm, visitor, null)
  yield* prepareSections(sections, source, view)
  return [...takeSections(sections, source, view, null), member("queue_id", null), member("last_event_id", -1)]
})

/** About how many bytes the records of a person, of their status, of a channel and of a group have. */
const personBytes = 500
const statusBytes = 200
const channelBytes = 1200
const groupBytes = 1000
/** An id in a list of subscribers. */
const idBytes = 6

const countSubscribers = (realm: Realm): number => {
  let count = 0
  for (const id of realm.channels.keys()) count += realm.subscribers(id).length
  return count
}

/** About how large the answer will be, for the room that it needs; exactly is known when it is made. */
const guessBytes = (realm: Realm, { view }: RegisterRequest): number =>
  (view.includeSubscribers === true ? countSubscribers(realm) * idBytes : 0) +
  (wants(view, "realm_user") ? realm.users.size * personBytes + realm.part(profileValues).characters : 0) +
  (wants(view, "presence") ? realm.part(presences).size * memberBytes[view.slimPresence ? "newer" : "older"] : 0) +
  (wants(view, "user_status") ? realm.part(userStatuses).size * statusBytes : 0) +
  (wants(view, "realm_user_groups") ? realm.groups.size * groupBytes : 0) +
  (wants(view, "stream") ? realm.channels.size * channelBytes : 0) +
  (wants(view, "subscription") ? realm.channels.size * channelBytes : 0)

/** Bytes of the user's own part, about: their settings, and what they have set for each channel. */
const ownBytes = 48 * 1024
const ownSubscriptionBytes = 400

const guessOwnBytes = (realm: Realm, user: UserRecord | null): number => {
  const channels = user === null ? realm.channels.size : [...realm.channelsEver(user.id)].length
  return ownBytes + channels * ownSubscriptionBytes
}

/** The endpoint. `register-sections`: all sections of register. */
export const registerWith = (sections: ReadonlyArray<Section>) =>
  eitherEndpoint({
    method: "POST",
    path: "/register",
    fresh: "onRefusal",
    isReturn: true,
    summary: "Opens an event queue, and answers the state that its events continue.",
    params: registerParams,
    reply: registerReply(sections),
    errors: [],
    run: Effect.fnUntraced(function* (who, { params }) {
      const catalog = yield* Catalog
      const parts: RegisterServices = { config: yield* Config, reads: yield* UserReads, clock: yield* Clock, catalog }
      const { runtime, realm, user } = yield* requireReader(who)
      const isVisitor = !("user" in who)
      const request = yield* Effect.fromResult(readRequest(params, parts.config.limits, isVisitor ? "visitor" : "user"))
      const idle = member("idle_queue_timeout_secs", request.idleSeconds)
      const make = Effect.map(
        isVisitor ? visit(parts, runtime, who, request) : openQueue(parts, runtime, who, request),
        (state) => [...membersOf(serverVersion), ...state, idle],
      )
      return yield* (yield* LargeAnswers).answer(
        requesterName(who),
        { whole: guessBytes(realm, request), own: guessOwnBytes(realm, user) },
        make,
        requesterKind(who),
      )
    }),
  })
