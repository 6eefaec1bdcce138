/**
 * Which receivers of an event do not know the person that it is about: limited guests (realm/acquaintance), as the log stands
 * at the event. Their copy differs, or there is none; everybody else shares theirs.
 */
import type { EventReceiver } from "../../../events/encode.ts"
import { type EventBody, emptyUserSet, inSet, isStored, type UserSet } from "../../../events/event.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import { cachedPerEvent } from "../kinds/event-kind-helpers.ts"
import { type AcquaintanceSource, limitsGuests, strangersOf } from "../realm/acquaintance/acquaintance.ts"
import type { Realm } from "../realm/realm.ts"

type AcquaintanceHistory = AcquaintanceSource & Pick<Realm, "roles">

/** Whom an event is about. `among`: a channel of which all receivers are subscribers, where there is one. */
interface PersonInEvent {
  readonly user: UserId
  readonly among?: ChannelId | undefined
}

/** An ephemeral event is judged as all stands now. */
const strangersAt = (past: AcquaintanceHistory, body: EventBody, { user, among }: PersonInEvent): UserSet => {
  const position = isStored(body) ? body.position : Number.MAX_SAFE_INTEGER
  if (among !== undefined && past.subscriptions.subscribedAt(among, user, position)) return emptyUserSet
  return strangersOf(past, user, position)
}

const nobody: ReadonlyArray<UserSet> = []

/** For the people whom an event is about, in the same order, those who do not know them; empty where guests are not limited. */
export const strangersToAll = (past: AcquaintanceHistory, about: (body: EventBody) => ReadonlyArray<PersonInEvent>) => {
  const known = cachedPerEvent((body) => about(body).map((each) => strangersAt(past, body, each)))
  // Nothing is read of the event before: nearly no organization has limited guests.
  return (body: EventBody): ReadonlyArray<UserSet> =>
    limitsGuests(past) && past.roles.guests.size > 0 ? known(body) : nobody
}

/** The same of an event about one person; null: this one is told to whom it concerns. */
export const strangersTo = (past: AcquaintanceHistory, about: (body: EventBody) => PersonInEvent | null) => {
  const known = strangersToAll(past, (body) => {
    const one = about(body)
    return one === null ? [] : [one]
  })
  const to = (body: EventBody): UserSet => known(body)[0] ?? emptyUserSet
  return { to, isStranger: (body: EventBody, { user }: EventReceiver): boolean => inSet(to(body), user) }
}
