/**
 * Who is there. Clients tell it for their user once a minute and are answered who else is: all, or what has changed since
 * an id that they were answered before. Nobody is told when somebody goes: times that are too long ago say it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, botRefused, noSuchUser } from "../../../api/errors.ts"
import { anyLength, boolean, integer, keyword, mapped, optional, text, withDefault } from "../../../api/params.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { forEachInSlices } from "../../../slices.ts"
import { member } from "../../ground/kinds/section-text.ts"
import type { PresenceRange } from "../../ground/presences/cached-lists.ts"
import { blockEntries } from "../../ground/presences/latest-changes.ts"
import { offlineSeconds, presences } from "../../ground/presences/presences.ts"
import { isLimited } from "../../ground/realm/acquaintance/acquaintance.ts"
import { findPersonNamed } from "../../ground/realm/acquaintance/find-user.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Seconds } from "../../ground/wire/wire-values.ts"
import { PresenceBook } from "./presence-book.ts"
import {
  type FormName,
  formOf,
  listPresences,
  memberBytes,
  OlderPresences,
  olderForm,
  Presences,
  recent,
} from "./presence-forms.ts"
import { momentKeys, momentOf } from "./presence-section.ts"

/** Answers those of a range, and what `beside` says of the same moment. */
const answerList = Effect.fnUntraced(function* (
  caller: Caller,
  name: FormName,
  range: PresenceRange,
  beside: (realm: Realm, now: number) => ReadonlyArray<string>,
) {
  const { now } = yield* PresenceBook
  const { realm } = yield* requireAccount(caller)
  const { lists } = realm.part(presences)
  const { changes } = lists
  const whole = (changes.end - changes.placeAfter(range.after)) * memberBytes[name]
  const own = Math.min(whole, 2 * blockEntries * memberBytes[name])
  const make = Effect.gen(function* () {
    // When there is room for the answer: what they may see may have changed meanwhile.
    const { user } = yield* requireAccount(caller)
    lists.renew(unixSeconds(now()))
    // What was written first may be renewed before the last is written: then that is done once more.
    for (let times = 0; times < 2 && !isLimited(realm, user); times++)
      yield* forEachInSlices(lists.prepare(formOf(realm, name), range), () => {}, 1)
    return [listPresences(realm, user, name, range), ...beside(realm, now())]
  })
  return yield* (yield* LargeAnswers).answer(requesterName(caller), { whole, own }, make)
})

const status = mapped(keyword("status", anyLength), (raw) => {
  const word = raw.trim()
  return word === "active" || word === "idle"
    ? Result.succeed(word)
    : Result.fail(badRequest(`Invalid status: ${raw.slice(0, 100)}`))
})

/**
 * How much later a process may learn what another one knows: ids are times at which each has learned something, and a client may have
 * asked another one before.
 */
const lateMilliseconds = 30_000

/** What is newer than an id; one of the future is of another server. */
const rangeOf = (
  { realm, peers }: RealmRuntime,
  now: number,
  lastId: number | undefined,
  days: number | undefined,
): PresenceRange => {
  const { last } = realm.part(presences)
  const newest = peers.isAlone ? last : Math.max(last, now)
  if (lastId === undefined || lastId <= 0 || lastId > newest) return recent(now, days)
  return { after: peers.isAlone ? lastId : Math.max(0, lastId - lateMilliseconds), since: 0 }
}

export const postPresence = userEndpoint({
  method: "POST",
  path: "/users/me/presence",
  fresh: "none",
  summary: "Tells that the requester is there, and answers who else is.",
  params: {
    status,
    pingOnly: withDefault(boolean("ping_only"), false),
    /** Says nothing that the status does not say. */
    newInput: withDefault(boolean("new_user_input"), false),
    slim: withDefault(boolean("slim_presence"), false),
    lastId: optional(integer("last_update_id", { min: -1 })),
    days: optional(integer("history_limit_days", { min: 0 })),
  },
  reply: Schema.Union([noFields, Schema.Struct({ presences: Presences, ...momentKeys })]),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { status, pingOnly, slim, lastId, days } }) {
    const { runtime, user } = yield* requireAccount(caller)
    if (user.is_bot) return yield* botRefused()
    const book = yield* PresenceBook
    book.ping(runtime, user, status === "active")
    if (pingOnly) return dataReply()
    const name = slim || lastId !== undefined ? "newer" : "older"
    const range = rangeOf(runtime, book.now(), lastId, days)
    return yield* answerList(caller, name, range, (realm, now) =>
      Object.entries(momentOf(realm, now)).map(([key, value]) => member(key, value)),
    )
  }),
  // Somebody who is there asks nothing else as often.
  quick: Effect.map(Effect.all([Realms, PresenceBook]), ([realms, book]) => (caller, { status, pingOnly }) => {
    const runtime = realms.running(caller.realm)
    if (!pingOnly || runtime === undefined) return undefined
    const user = requireActor(runtime.realm, caller)
    if (Result.isFailure(user) || user.success.is_bot) return undefined
    book.ping(runtime, user.success, status === "active")
    return dataReply()
  }),
})

const getPresences = userEndpoint({
  method: "GET",
  path: "/realm/presence",
  summary: "Who was there in the last two weeks.",
  params: {},
  reply: Schema.Struct({ presences: OlderPresences, server_timestamp: momentKeys.server_timestamp }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const range = recent((yield* PresenceBook).now())
    return yield* answerList(caller, "older", range, (_realm, now) => [member("server_timestamp", now / 1000)])
  }),
})

const Told = Schema.Struct({ status: Schema.Literals(["active", "idle", "offline"]), timestamp: Seconds })

const getPresence = userEndpoint({
  method: "GET",
  path: "/users/{user_id_or_email}/presence",
  summary: "When a user was last there, and whether they are.",
  params: { named: text("user_id_or_email") },
  reply: Schema.Struct({ presence: Schema.Struct({ aggregated: Told, website: Told }) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { named } }) {
    const { now } = yield* PresenceBook
    const { realm, user: viewer } = yield* requireAccount(caller)
    const user = findPersonNamed(realm, viewer, named)
    if (user === undefined) return yield* noSuchUser()
    if (user.is_bot) return yield* badRequest("Presence is not supported for bot users.")
    const isShown = realm.isActive(user.id) && !realm.settings.presence_disabled
    const times = isShown ? realm.part(presences).of(user.id) : undefined
    if (times === undefined) return yield* badRequest(`No presence data for ${named}`)
    const { status, timestamp } = olderForm(user, times).aggregated
    const isOffline = unixSeconds(now()) - timestamp > offlineSeconds
    return dataReply({
      presence: { aggregated: { status: isOffline ? "offline" : status, timestamp }, website: { status, timestamp } },
    })
  }),
})

export const presenceEndpoints = [postPresence, getPresences, getPresence]
