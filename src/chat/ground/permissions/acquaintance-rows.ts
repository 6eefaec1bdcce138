/**
 * The rows that tell limited guests whom they come to know, before the event that shows them, and whom they know no more.
 * Where that is too much to tell, the queues of these guests end. Without limited guests there is nothing to look at.
 */
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { type ChannelId, UserId } from "../../../ids.ts"
import { endQueuesRow } from "../kinds/queue-end-row.ts"
import { realmUserRows } from "../kinds/realm-user-row.ts"
import { userStatusRows } from "../kinds/user-status-row.ts"
import { userStatuses } from "../kinds/user-statuses.ts"
import { profileValues } from "../profiles/profile-values.ts"
import { guestContacts, isLimited, knowing, limitsGuests, mayKnow } from "../realm/acquaintance/acquaintance.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

/** People who come into a channel, or leave it. */
export interface Crossing {
  readonly channel: ChannelId
  readonly users: ReadonlyArray<UserRecord>
}

/** The most people whom one command tells of, and the most pairs of a guest and somebody that it looks at. */
const mostTold = 500
const mostAsked = 12_000
/** For more candidates it is cheaper to gather all whom the guest knows first. */
const mostAlone = 64

const limitedGuests = (realm: Realm): ReadonlyArray<UserRecord> =>
  limitsGuests(realm)
    ? [...realm.roles.guests].flatMap((id) => (realm.isActive(id) ? (realm.users.get(id) ?? []) : []))
    : []

/** So few crossings are looked at one by one, whatever channels somebody is in. */
const few = 16

/** Finds by channel whether somebody is in one of some crossings. */
class Crossings {
  readonly #all: ReadonlyArray<Crossing>
  readonly #byChannel = new Map<ChannelId, { readonly users: Set<UserId>; readonly crossings: Array<Crossing> }>()
  readonly #channels = new Map<UserId, Set<ChannelId>>()

  constructor(all: ReadonlyArray<Crossing>) {
    this.#all = all
    for (const crossing of all) {
      const { channel } = crossing
      const known = this.#byChannel.get(channel) ?? { users: new Set(), crossings: [] }
      this.#byChannel.set(channel, known)
      known.crossings.push(crossing)
      for (const { id } of crossing.users) {
        known.users.add(id)
        const channels = this.#channels.get(id) ?? new Set()
        this.#channels.set(id, channels)
        channels.add(channel)
      }
    }
  }

  readonly has = (channel: ChannelId, user: UserId): boolean => this.#byChannel.get(channel)?.users.has(user) === true

  /** At least those of channels that somebody is in, or crosses: whoever leaves a thousand channels meets a guest in a few. */
  near(realm: Realm, user: UserId): ReadonlyArray<Crossing> {
    if (this.#all.length <= few) return this.#all
    const channels = new Set([...realm.channelsEver(user), ...(this.#channels.get(user) ?? [])])
    return [...channels].flatMap((channel) => this.#byChannel.get(channel)?.crossings ?? [])
  }
}

/** How many candidates a guest has: to list them costs as much as to look at them. */
const countCandidates = (
  realm: Realm,
  guest: UserRecord,
  crossings: ReadonlyArray<Crossing>,
  crosses: Crossings["has"],
): number =>
  crossings.reduce((count, { channel, users }) => {
    if (crosses(channel, guest.id)) return count + realm.subscribers(channel).length + users.length
    return realm.isSubscribed(channel, guest.id) ? count + users.length : count
  }, 0)

/** For a guest: those who may come to be known, or unknown, by what crosses; each maybe several times. */
const candidatesOf = (
  realm: Realm,
  guest: UserRecord,
  crossings: ReadonlyArray<Crossing>,
  crosses: Crossings["has"],
): ReadonlyArray<UserRecord> =>
  crossings.flatMap(({ channel, users }) => {
    if (crosses(channel, guest.id)) {
      const others = Array.from(realm.subscribers(channel), (id) => realm.users.get(UserId(id)))
      return [...others.filter((user) => user !== undefined), ...users]
    }
    return realm.isSubscribed(channel, guest.id) ? users : []
  })

/** Collects for each person the guests who are to be told of them, as long as that is not too much. */
class MeetingNotices {
  readonly #guests = new Map<UserRecord, Array<UserId>>()
  readonly #ended = new Set<UserId>()
  #asked = 0

  /** Whether so many more may be looked at for this guest; if not, their queues end. */
  admits(guest: UserRecord, candidates: number): boolean {
    if (candidates === 0) return true
    this.#asked += candidates
    if (this.#asked <= mostAsked) return true
    this.#ended.add(guest.id)
    return false
  }

  note(user: UserRecord, guest: UserRecord): void {
    const guests = this.#guests.get(user)
    if (guests === undefined) this.#guests.set(user, [guest.id])
    else guests.push(guest.id)
  }

  rows(make: (user: UserRecord, guests: ReadonlyArray<UserId>) => ReadonlyArray<NewRow>): ReadonlyArray<NewRow> {
    const isMuch = this.#guests.size > mostTold
    if (isMuch) for (const guests of this.#guests.values()) for (const guest of guests) this.#ended.add(guest)
    const told = isMuch ? [] : [...this.#guests].flatMap(([user, guests]) => make(user, guests))
    return this.#ended.size === 0 ? told : [...told, endQueuesRow([...this.#ended])]
  }
}

/** A person and their status, for guests who come to know them. */
const showRows = (realm: Realm, user: UserRecord, guests: ReadonlyArray<UserId>): ReadonlyArray<NewRow> => {
  const { away, status_text, emoji } = realm.part(userStatuses).of(user.id)
  const status = {
    user_id: user.id,
    ...(away ? { away } : {}),
    ...(status_text === "" ? {} : { status_text }),
    ...(emoji === null ? {} : { emoji }),
  }
  const isSilent = !away && status_text === "" && emoji === null
  const profile_data = realm.part(profileValues).of(user.id)
  const shown = Object.keys(profile_data).length === 0 ? { user } : { user, profile_data }
  return [
    realmUserRows.tell({ op: "add", ...shown }, toUsers(guests)),
    ...(isSilent ? [] : [userStatusRows.tell(status, toUsers(guests))]),
  ]
}

/** The rows before people come into channels. The realm is as before. */
export const meetingRows = (realm: Realm, crossings: ReadonlyArray<Crossing>): ReadonlyArray<NewRow> => {
  const guests = limitedGuests(realm)
  if (guests.length === 0) return []
  const telling = new MeetingNotices()
  const all = new Crossings(crossings)
  for (const guest of guests) {
    const near = all.near(realm, guest.id)
    if (!telling.admits(guest, countCandidates(realm, guest, near, all.has))) continue
    const candidates = candidatesOf(realm, guest, near, all.has)
    const knows =
      candidates.length > mostAlone ? knowing(realm, guest) : (user: UserRecord) => mayKnow(realm, guest, user)
    for (const user of new Set(candidates)) if (!knows(user)) telling.note(user, guest)
  }
  return telling.rows((user, guests) => showRows(realm, user, guests))
}

/** The rows before a conversation of these people begins. */
export const conversationRows = (realm: Realm, people: ReadonlyArray<UserRecord>): ReadonlyArray<NewRow> => {
  const telling = new MeetingNotices()
  for (const guest of people)
    if (isLimited(realm, guest)) for (const user of people) if (!mayKnow(realm, guest, user)) telling.note(user, guest)
  return telling.rows((user, guests) => showRows(realm, user, guests))
}

/** Whether a guest has no conversation yet with one of these people: others' commands depend on whether one begins. */
export const beginsContact = (realm: Realm, people: ReadonlyArray<UserRecord>): boolean => {
  const contacts = realm.part(guestContacts)
  const humans = people.filter((user) => !user.is_bot)
  return humans.some(
    (guest) =>
      isLimited(realm, guest) &&
      humans.some((other) => other.id !== guest.id && contacts.since(guest.id, other.id) === undefined),
  )
}

/**
 * The rows after people have left channels. The realm is as before. `joined`: who came into channels in the same command,
 * before that.
 */
export const partingRows = (
  realm: Realm,
  left: ReadonlyArray<Crossing>,
  joined: ReadonlyArray<Crossing> = [],
): ReadonlyArray<NewRow> => {
  const guests = limitedGuests(realm)
  if (guests.length === 0) return []
  const telling = new MeetingNotices()
  const [leaving, joining] = [new Crossings(left), new Crossings(joined)]
  const isIn = (channel: ChannelId, user: UserId) =>
    !leaving.has(channel, user) && (realm.isSubscribed(channel, user) || joining.has(channel, user))
  for (const guest of guests) {
    const near = leaving.near(realm, guest.id)
    if (!telling.admits(guest, countCandidates(realm, guest, near, leaving.has))) continue
    const candidates = candidatesOf(realm, guest, near, leaving.has)
    const channels = new Set([...realm.channelsEver(guest.id), ...joined.map(({ channel }) => channel)])
    const shared = [...channels].filter((channel) => isIn(channel, guest.id))
    for (const user of new Set(candidates)) {
      if (user.is_bot || user.id === guest.id) continue
      if (realm.part(guestContacts).since(guest.id, user.id) !== undefined) continue
      if (!shared.some((channel) => isIn(channel, user.id))) telling.note(user, guest)
    }
  }
  return telling.rows((user, guests) => [realmUserRows.tell({ op: "remove", user_id: user.id }, toUsers(guests))])
}
