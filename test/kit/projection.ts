/**
 * A projection as plain data, so that two can be compared (I12): everything that it answers about the present and about
 * each position of the past.
 */

import type { Realm } from "../../src/chat/ground/realm/realm.ts"
import { catalog } from "./catalog.ts"

const byNumber = (a: readonly [number, unknown], b: readonly [number, unknown]) => a[0] - b[0]
const sorted = <K extends number, V>(map: Iterable<readonly [K, V]>) => [...map].sort(byNumber)
const byId = (a: { readonly id: number }, b: { readonly id: number }) => a.id - b.id

type Runs = ReadonlyArray<readonly [number, number, unknown]>
type Past = (end: number, holds: (position: number) => unknown) => Runs

/** `[from, to]`, both inclusive, for each run of positions at which `holds` is true. */
const runs: Past = (end, holds) => {
  const found: Array<[number, number, unknown]> = []
  for (let position = 0; position <= end; position++) {
    const value = holds(position)
    const last = found.at(-1)
    if (last !== undefined && last[1] === position - 1 && last[2] === value) last[1] = position
    else if (value !== undefined && value !== false) found.push([position, position, value])
  }
  return found
}

const nextIds = (realm: Realm) => [realm.nextUserId(), realm.nextChannelId(), realm.nextGroupId()]

const describe = (realm: Realm, runs: Past) => {
  const end = realm.position
  const users = sorted(realm.users)
  const channels = sorted(realm.channels)
  return {
    position: end,
    identity: [realm.id, realm.host, realm.epoch, ...nextIds(realm)],
    settings: realm.settings,
    state: [realm.isDeactivated, realm.createdAt],
    groups: [...realm.groups.values()].sort(byId).map((group) => ({
      ...group,
      descendants: [...realm.groups.descendants(group.id)].sort((a, b) => a - b),
      ancestors: [...realm.groups.ancestors(group.id)].sort((a, b) => a - b),
      everybody: Array.from(realm.groups.closureOf(group.id).members),
      systems: [...realm.groups.closureOf(group.id).systems].sort(),
    })),
    parts: catalog.parts.map((part) => [part.name, realm.plainPart(part)]),
    users: users.map(([id, user]) => ({
      ...user,
      isActive: realm.isActive(id),
      byEmail: realm.findUserByEmail(user.email.toUpperCase())?.id,
      byName: [...realm.findUsersByName(user.full_name.toUpperCase())].sort((a, b) => a - b),
      last: realm.roles.last(id),
      leftAt: realm.roles.leftAt(id),
      active: runs(end, (position) => realm.activeAt(id, position)),
      member: runs(end, (position) => realm.memberAt(id, position)),
      administrator: runs(end, (position) => realm.administratorAt(id, position)),
      channelsEver: [...realm.channelsEver(id)].sort((a, b) => a - b),
      colors: [...realm.subscriptions.colorsOf(id)].sort(),
    })),
    channels: channels.map(([id, channel]) => ({
      ...channel,
      byName: realm.findChannelByName(channel.name.toUpperCase())?.id,
      subscribers: Array.from(realm.subscribers(id)),
      before: realm.subscriptions.subscribersAt(id, Math.floor(end / 2)),
      subscriptions: users.map(([user]) => ({
        user,
        isSubscribed: realm.subscriptions.isSubscribed(id, user),
        settings: realm.subscriptions.settings(user, id),
        spans: runs(end, (position) => realm.subscribedAt(id, user, position)),
        held: runs(end, (position) => realm.subscriptions.heldAt(id, user, position)),
      })),
    })),
  }
}

/** The projection with its whole past, which takes one question for each position, user and channel. */
export const describeRealm = (realm: Realm) => describe(realm, runs)

/**
 * The present state only, cheap enough to compare after every action.
 */
export const describePresent = (realm: Realm) => describe(realm, () => [])
