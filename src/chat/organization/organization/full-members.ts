/**
 * Time makes full members: when the waiting period of somebody is over, a row counts them, and they, and everybody who lists them,
 * are told what a change of the period itself would tell. Until that row they are none, so what clients know is what holds. A
 * server that was down catches up. Many whose period ends at one time are counted in chunks. Those are counted up to the end of
 * somebody's period, never to now: under a clock that is years ahead nobody who comes later is counted with them.
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { type Command, change, done } from "../../../events/command.ts"
import { woken } from "../../../jobs/job.ts"
import { chunkItems } from "../../ground/bulk/bulk-kind.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { fullMemberAt } from "../../ground/realm/realm-rules.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { countFullMembers } from "./realm-update.ts"

/** For organizations that were loaded, and members who came or came back, since the last look. */
const fallbackMilliseconds = 10_000

/** When active members who are not counted yet become full members, in any order. */
const timesOf = (realm: Realm): ReadonlyArray<number> => {
  const { settings } = realm
  if (settings.waiting_period_days === 0) return []
  const times: Array<number> = []
  for (const user of realm.users.values()) {
    if (user.role !== roles.member) continue
    const at = fullMemberAt(settings, user)
    if (at > settings.full_members_at && realm.isActive(user.id)) times.push(at)
  }
  return times
}

/** Up to when the next chunk is counted; undefined: nobody is due. Those of one moment are counted together. */
const nextChunk = (realm: Realm, now: number): number | undefined => {
  const due = timesOf(realm)
    .filter((at) => at <= now)
    .sort((a, b) => a - b)
  return due[Math.min(due.length, chunkItems) - 1]
}

/** Answers whether there was somebody to count. */
const countChunk = (now: number): Command<Realm, boolean> => ({
  judge: (realm) => {
    const at = nextChunk(realm, now)
    return at === undefined ? done(false) : change(countFullMembers(realm, at), { answer: () => true })
  },
})

export const fullMembersJob = woken({
  name: "full members by time",
  fallbackMilliseconds,
  run: Effect.gen(function* () {
    const { now } = yield* Clock
    const realms = yield* Realms
    let next = Number.POSITIVE_INFINITY
    for (const { realm } of realms.loaded()) {
      while (nextChunk(realm, now()) !== undefined) if (!(yield* realms.submit(realm.id, countChunk(now())))) break
      for (const at of timesOf(realm)) next = Math.min(next, at)
    }
    return next === Number.POSITIVE_INFINITY ? null : Math.max(0, next - now())
  }),
})
