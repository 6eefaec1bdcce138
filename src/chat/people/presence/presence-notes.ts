/** What processes tell each other of who is there: pings of a moment, in lists. */
import * as Schema from "effect/Schema"
import type { ClockShape, Timer } from "../../../clock.ts"
import { idSchemas, type RealmId, type UserId } from "../../../ids.ts"
import { presences } from "../../ground/presences/presences.ts"
import type { RealmRuntime } from "../../ground/realm/realms.ts"

export const presenceNote = "presence"

/** How long pings are gathered. */
const gatherMilliseconds = 2000
/** Pings of a note: each has some 35 bytes. */
const mostOfNote = 120

/** Unix seconds, as much as the projection takes. */
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

/** [user, active, connected] */
export const HeardPresences = Schema.Array(Schema.Tuple([idSchemas.user, Seconds, Seconds]))
export type HeardPresences = typeof HeardPresences.Type

export interface PingNotes {
  /** Somebody has changed here. */
  readonly add: (runtime: RealmRuntime, user: UserId) => void
  readonly stop: () => void
}

interface Gathered {
  readonly runtime: RealmRuntime
  readonly users: Set<UserId>
}

export const makePingNotes = (clock: ClockShape): PingNotes => {
  const gathered = new Map<RealmId, Gathered>()
  let timer: Timer | null = null

  const tellAll = (): void => {
    timer = null
    for (const { runtime, users } of gathered.values()) {
      const known = runtime.realm.part(presences)
      // As it is by now: somebody may have hidden meanwhile that they are there.
      const changes = [...users].flatMap((user) => {
        const times = known.of(user)
        return times === undefined ? [] : [[user, times.active, times.connected]]
      })
      for (let at = 0; at < changes.length; at += mostOfNote)
        runtime.notes.tell(presenceNote, changes.slice(at, at + mostOfNote))
    }
    gathered.clear()
  }

  return {
    add: (runtime, user) => {
      const { id } = runtime.realm
      const known = gathered.get(id)
      if (known === undefined) gathered.set(id, { runtime, users: new Set([user]) })
      else known.users.add(user)
      timer ??= clock.after(gatherMilliseconds, tellAll)
    },
    stop: () => timer?.cancel(),
  }
}
