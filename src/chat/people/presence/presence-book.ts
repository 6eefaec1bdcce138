/**
 * Takes the pings of clients, and stores them: not each, but what has changed, once in a few seconds and when the server ends.
 * Others hear at once of whoever comes, where that is cheap: in an organization of a hundred people. In larger ones they hear of it
 * by their next ping, because each of so many people comes as often as all others look.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { inSet, type UserSet, userSet } from "../../../events/event.ts"
import type { UserId } from "../../../ids.ts"
import { periodic } from "../../../jobs/job.ts"
import { cachedFor } from "../../ground/kinds/section-text.ts"
import { presences } from "../../ground/presences/presences.ts"
import { mayKnow } from "../../ground/realm/acquaintance/acquaintance.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { presencePayload } from "./presence-row.ts"
import { savePresences } from "./presence-store.ts"

const saveMilliseconds = 5000
const restMilliseconds = 60_000
/** Changes that one statement stores. */
const mostAtOnce = 2000
/** Ids are reserved so many at a time, when half of them are given. */
const idsAtOnce = 65_536

/** People in an organization that hears at once of whoever comes. */
const mostTold = 100

interface ActivePerson {
  /** How many they are without bots. */
  readonly people: number
  readonly ids: ReadonlyArray<UserId>
}

/** All who are not deactivated. */
const activeIn = cachedFor<ActivePerson>(["realm_user"], 1)
const gatherActive = (realm: Realm): ActivePerson => {
  const users = [...realm.users.values()].filter(({ id }) => realm.isActive(id))
  return { people: users.filter(({ is_bot }) => !is_bot).length, ids: users.map(({ id }) => id) }
}

/** Who hears at once that somebody has come. */
const hearersOf = (realm: Realm, user: UserRecord): UserSet => {
  const { people, ids } = activeIn(realm, "", () => gatherActive(realm))
  if (people > mostTold) return userSet([])
  return userSet(ids.filter((id) => mayKnow(realm, realm.users.get(id) ?? null, user)))
}

interface PresenceBookShape {
  /** Somebody is there, with a client, and active or not. Changes nothing where they do not show that, or
   * the organization shows it of nobody. */
  readonly ping: (runtime: RealmRuntime, user: UserRecord, isActive: boolean) => Effect.Effect<void, Unavailable>
  /** The same at once; false, and nothing is done, where it must wait. */
  readonly pingAtOnce: (runtime: RealmRuntime, user: UserRecord, isActive: boolean) => boolean
  /** Stores what has changed. */
  readonly save: Effect.Effect<void, Unavailable>
}

export class PresenceBook extends Context.Service<PresenceBook, PresenceBookShape>()("parley/chat/PresenceBook") {
  /** Ends before the realms and the database do. */
  static readonly layer = Layer.effect(
    PresenceBook,
    Effect.gen(function* () {
      const realms = yield* Realms
      const database = yield* Database
      const clock = yield* Clock
      const saving = yield* Semaphore.make(1)

      const saveSome = Effect.fnUntraced(function* ({ realm }: RealmRuntime) {
        const known = realm.part(presences)
        const changes = known.unsaved(mostAtOnce)
        const idsToReserve = known.ids < idsAtOnce / 2 ? idsAtOnce : 0
        const { gone, last } = known
        yield* savePresences(database, realm.id, { changes, gone, idsToReserve, position: realm.position })
        known.addIds(idsToReserve)
        known.saved(changes.at(-1)?.[3] ?? last, gone)
      })
      const saveAll = Effect.fnUntraced(function* (runtime: RealmRuntime) {
        // An organization in which nobody is costs nothing: ids are reserved when the first change needs one.
        while (runtime.realm.part(presences).hasUnsaved) yield* saveSome(runtime)
      })
      const save = Effect.suspend(() => Effect.forEach(realms.loaded(), saveAll, { discard: true }))
      const saveInTurn = saving.withPermits(1)(save)

      /** Reserves ids. Of many who wait for them the first has it done. */
      const reserve = (runtime: RealmRuntime) =>
        saving.withPermits(1)(
          Effect.suspend(() => (runtime.realm.part(presences).ids > 0 ? Effect.void : saveSome(runtime))),
        )

      yield* Effect.addFinalizer(() => Effect.ignore(saveInTurn))

      const pingAtOnce = ({ realm, announce }: RealmRuntime, user: UserRecord, isActive: boolean): boolean => {
        const known = realm.part(presences)
        if (known.ids < 1) return false
        const present = realm.users.get(user.id) ?? user
        const isShown = !realm.settings.presence_disabled && present.settings.presence_enabled
        if (!isShown || !realm.isActive(user.id)) return true
        const isNews = known.ping(user.id, unixSeconds(clock.now()), isActive)
        const times = known.of(user.id)
        if (!isNews || times === undefined) return true
        const users = hearersOf(realm, present)
        if (users.length === 0) return true
        const payload = presencePayload(realm, present, times, clock.now())
        announce({ type: "presence", payload }, { users, includes: (each) => inSet(users, each) })
        return true
      }

      return PresenceBook.of({
        save: saveInTurn,
        pingAtOnce,
        ping: Effect.fnUntraced(function* (runtime, user, isActive) {
          while (!pingAtOnce(runtime, user, isActive)) yield* reserve(runtime)
        }),
      })
    }),
  )
}

export const savePresenceJob = periodic({
  name: "presence",
  everyMilliseconds: saveMilliseconds,
  run: Effect.flatMap(PresenceBook, ({ save }) => save),
})

/** What nobody reads takes no memory. */
export const restPresenceJob = periodic({
  name: "lists of presence",
  everyMilliseconds: restMilliseconds,
  run: Effect.map(Realms, (realms) => {
    for (const { realm } of realms.loaded()) realm.part(presences).lists.rest()
  }),
})
