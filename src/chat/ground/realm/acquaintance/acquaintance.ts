/**
 * Whom a guest knows, where the organization limits its guests (`can_access_all_users_group`): people who are in a channel
 * with them, people with whom they are in a conversation, all bots, and themselves. Others are unknown to them, as if they
 * had no name. Everybody else, a visitor too, knows everybody.
 *
 * Subscriptions have a history (subscription-spans.ts). Conversations do as well: the part here says since when a guest knows somebody by one.
 * Whether a guest is limited has none: where that changes, the queues of all whom it concerns end.
 */
import * as Schema from "effect/Schema"
import { emptyUserSet, type UserSet, userSet } from "../../../../events/event.ts"
import { type ChannelId, idSchemas, type UserId } from "../../../../ids.ts"
import { roles, systemGroups } from "../domain-values.ts"
import type { Viewer } from "../email-addresses.ts"
import { projectionPart } from "../projection-part.ts"
import type { Realm } from "../realm.ts"
import type { UserRecord } from "../records.ts"
import { isSystemBot } from "../system-bots.ts"

/** [somebody, the id of the first conversation with them: the position of its first message] */
export const Contact = Schema.Tuple([idSchemas.user, Schema.Number])
type Contact = typeof Contact.Type

/** With whom each guest is in a conversation, and since when. Of people who are no guests nothing is kept. */
export class GuestContacts {
  readonly #byGuest = new Map<UserId, Map<UserId, number>>()

  since(guest: UserId, other: UserId): number | undefined {
    return this.#byGuest.get(guest)?.get(other)
  }

  of(guest: UserId): Iterable<UserId> {
    return this.#byGuest.get(guest)?.keys() ?? []
  }

  /** The first conversation counts. */
  add(guest: UserId, other: UserId, since: number): void {
    const known = this.#byGuest.get(guest) ?? new Map<UserId, number>()
    this.#byGuest.set(guest, known)
    known.set(other, Math.min(since, known.get(other) ?? since))
  }

  forget(user: UserId): void {
    this.#byGuest.delete(user)
  }

  plain(): unknown {
    const sorted = [...this.#byGuest].filter(([, known]) => known.size > 0).sort(([a], [b]) => a - b)
    return sorted.map(([guest, known]) => [guest, [...known].sort(([a], [b]) => a - b)])
  }
}

export const guestContacts = projectionPart({
  name: "guest_contacts",
  load: "load_guest_contacts_v1",
  stored: Schema.Struct({
    guests: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Array(Contact)])),
    /** The last account that was looked at; null: there are no more. */
    last: Schema.NullOr(idSchemas.user),
  }),
  pageKey: ({ last }) => (last === null ? null : [last]),
  empty: () => new GuestContacts(),
  fill: (all, { guests }) => {
    for (const [guest, contacts] of guests) addContacts(all, guest, contacts)
  },
  plain: (all) => all.plain(),
})

export const addContacts = (all: GuestContacts, guest: UserId, contacts: ReadonlyArray<Contact>): void => {
  for (const [other, since] of contacts) all.add(guest, other, since)
}

/** What is asked of a realm; a hypothetical one has other settings. */
export type AcquaintanceSource = Pick<Realm, "settings" | "users" | "subscriptions" | "part">

/** Whether the organization limits its guests. */
export const limitsGuests = ({ settings }: Pick<Realm, "settings">): boolean =>
  settings.can_access_all_users_group !== systemGroups["role:everyone"]

/** Whether somebody is a guest who knows only some of the people. */
export const isLimited = (realm: Pick<Realm, "settings">, viewer: Viewer): viewer is NonNullable<Viewer> =>
  viewer !== null && viewer.role === roles.guest && limitsGuests(realm)

type PersonRef = Pick<UserRecord, "id" | "is_bot">

const isOpen = (viewer: UserId, { id, is_bot }: PersonRef): boolean => viewer === id || is_bot || isSystemBot({ id })

const meets = (realm: AcquaintanceSource, guest: UserId, other: UserId): boolean => {
  if (realm.part(guestContacts).since(guest, other) !== undefined) return true
  const { subscriptions } = realm
  const isIn = (channel: ChannelId, user: UserId) => subscriptions.isSubscribed(channel, user)
  return [...subscriptions.channelsEver(guest)].some((channel) => isIn(channel, guest) && isIn(channel, other))
}

/** Whether the viewer knows of a person, now. */
export const mayKnow = (realm: AcquaintanceSource, viewer: Viewer, user: PersonRef): boolean =>
  !isLimited(realm, viewer) || isOpen(viewer.id, user) || meets(realm, viewer.id, user.id)

/** The limited guests who do not know of a person at a position. */
export const strangersOf = (
  realm: AcquaintanceSource & Pick<Realm, "roles">,
  user: UserId,
  position: number,
): UserSet => {
  if (!limitsGuests(realm) || isSystemBot({ id: user }) || realm.users.get(user)?.is_bot === true) return emptyUserSet
  const { subscriptions, roles } = realm
  const channels = [...subscriptions.channelsEver(user)].filter((each) =>
    subscriptions.subscribedAt(each, user, position),
  )
  const contacts = realm.part(guestContacts)
  const knows = (guest: UserId): boolean =>
    guest === user ||
    (contacts.since(guest, user) ?? Number.POSITIVE_INFINITY) <= position ||
    channels.some((each) => subscriptions.subscribedAt(each, guest, position))
  return userSet([...roles.guests].filter((guest) => !knows(guest)))
}

/** The ids of all whom a limited guest knows of now, themselves too, without the bots. */
export const peopleKnownTo = (realm: AcquaintanceSource, guest: UserId): ReadonlySet<number> => {
  const known = new Set<number>([guest, ...realm.part(guestContacts).of(guest)])
  for (const channel of realm.subscriptions.channelsEver(guest)) {
    if (!realm.subscriptions.isSubscribed(channel, guest)) continue
    for (const id of realm.subscriptions.subscribers(channel)) known.add(id)
  }
  return known
}

/** `mayKnow` for many people: it looks at the viewer's channels once. */
export const knowing = (realm: AcquaintanceSource, viewer: Viewer): ((user: PersonRef) => boolean) => {
  if (!isLimited(realm, viewer)) return () => true
  const known = peopleKnownTo(realm, viewer.id)
  return (user) => isOpen(viewer.id, user) || known.has(user.id)
}
