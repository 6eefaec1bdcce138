/**
 * Takes the pings of clients, and stores them: not each, but what has changed, once in a few seconds and when the server ends.
 * Others hear at once of whoever comes, where that is cheap: in an organization of a hundred people. In larger ones they hear of it
 * by their next ping, because each of so many people comes as often as all others look. Several processes tell each other, two
 * seconds late; whoever has taken a ping stores it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { inSet, type UserSet, userSet } from "../../../events/event.ts"
import type { UserId } from "../../../ids.ts"
import { periodic } from "../../../jobs/job.ts"
import { forEachInSlices } from "../../../slices.ts"
import { cachedFor } from "../../ground/kinds/section-text.ts"
import { presences } from "../../ground/presences/presences.ts"
import { mayKnow } from "../../ground/realm/acquaintance/acquaintance.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { presenceKind } from "./presence-event.ts"
import { HeardPresences, makePingNotes, presenceNote } from "./presence-notes.ts"
import { presencePayload } from "./presence-row.ts"
import { readChangedPresences, savePresences } from "./presence-store.ts"

const saveMilliseconds = 5000
const restMilliseconds = 60_000
/** Changes that one statement stores. */
const mostAtOnce = 2000
const takeMilliseconds = 10_000
/** How much later than it was learned something may be stored: then it is read twice. */
const lateMilliseconds = 10_000

const isHeard = Schema.is(HeardPresences)

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
  /** Unix milliseconds, the same for all processes that serve the database. */
  readonly now: () => number
  /** Somebody is there, with a client, and active or not. Changes nothing where they do not show that, or
   * the organization shows it of nobody. */
  readonly ping: (runtime: RealmRuntime, user: UserRecord, isActive: boolean) => void
  /** Stores what has changed. */
  readonly save: Effect.Effect<void, Unavailable>
  /** Takes what other processes have stored: what they have told of it may be lost. */
  readonly takeStored: Effect.Effect<void, Unavailable>
}

/** Somebody of whom it is shown whether they are there. */
const findShown = (realm: Realm, id: UserId): UserRecord | undefined => {
  const user = realm.users.get(id)
  if (user === undefined || realm.settings.presence_disabled) return undefined
  return user.settings.presence_enabled && realm.isActive(id) ? user : undefined
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
      const { own } = realms
      const now = own === null ? clock.now : own.now
      const notes = own === null ? null : makePingNotes(clock)

      const saveAll = Effect.fnUntraced(function* ({ realm }: RealmRuntime) {
        const known = realm.part(presences)
        while (known.hasUnsaved) {
          const unsaved = known.takeUnsaved(mostAtOnce)
          yield* Effect.onError(savePresences(database, realm.id, unsaved, realm.position), () =>
            Effect.sync(() => known.putBack(unsaved)),
          )
        }
      })
      const save = Effect.suspend(() => Effect.forEach(realms.loaded(), saveAll, { discard: true }))
      const saveInTurn = saving.withPermits(1)(save)

      yield* Effect.addFinalizer(() => {
        notes?.stop()
        return Effect.ignore(saveInTurn)
      })

      const announceNews = ({ realm, announce }: RealmRuntime, user: UserRecord): void => {
        const times = realm.part(presences).of(user.id)
        const users = hearersOf(realm, user)
        if (times === undefined || users.length === 0) return
        const payload = presencePayload(realm, user, times, now())
        announce({ type: presenceKind.type, payload }, { users, includes: (each) => inSet(users, each) })
      }

      const hear = (runtime: RealmRuntime, [id, active, connected]: HeardPresences[number]): void => {
        const { realm } = runtime
        const user = findShown(realm, id)
        if (user !== undefined && realm.part(presences).hear(id, { active, connected }, now()))
          announceNews(runtime, user)
      }
      realms.whenLoaded((runtime) =>
        runtime.notes.hear(presenceNote, (body) => {
          if (isHeard(body)) for (const each of body) hear(runtime, each)
        }),
      )

      /** Until when what is stored was taken. */
      let takenUntil: number | null = null
      const takeStored = Effect.gen(function* () {
        const began = now()
        const loaded = realms.loaded()
        const after = (takenUntil ?? began - takeMilliseconds) - lateMilliseconds
        const ids = loaded.map(({ realm }) => realm.id)
        const stored = ids.length === 0 ? {} : yield* readChangedPresences(database, ids, after)
        for (const runtime of loaded)
          yield* forEachInSlices(stored[runtime.realm.id] ?? [], (each) => hear(runtime, each))
        takenUntil = began
      })

      return PresenceBook.of({
        now,
        save: saveInTurn,
        takeStored: own === null ? Effect.void : takeStored,
        ping: (runtime, { id }, isActive) => {
          const { realm } = runtime
          const user = findShown(realm, id)
          if (user === undefined) return
          const known = realm.part(presences)
          const { last } = known
          const isNews = known.ping(id, now(), isActive)
          if (notes !== null && known.last > last) notes.add(runtime, id)
          if (isNews) announceNews(runtime, user)
        },
      })
    }),
  )
}

export const savePresenceJob = periodic({
  name: "presence",
  everyMilliseconds: saveMilliseconds,
  run: Effect.flatMap(PresenceBook, ({ save }) => save),
})

export const takePresenceJob = periodic({
  name: "presence of other processes",
  everyMilliseconds: takeMilliseconds,
  run: Effect.flatMap(PresenceBook, ({ takeStored }) => takeStored),
})

/** What nobody reads takes no memory. */
export const restPresenceJob = periodic({
  name: "lists of presence",
  everyMilliseconds: restMilliseconds,
  run: Effect.map(Realms, (realms) => {
    for (const { realm } of realms.loaded()) realm.part(presences).lists.rest()
  }),
})
