/** Many channels in one row, of which each receiver is told where they see the channel (kinds/places/in-places.ts). */
import type { ChannelId, UserId } from "../../../ids.ts"
import type { InPlaces } from "../kinds/places/in-places.ts"
import type { ChannelRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"
import { sightPermissions } from "./permissions.ts"
import { archivedMark, holdersOf } from "./sight.ts"

type Place = InPlaces["places"][number]

/** The users who see channels by a permission, in a list for each value of one: a thousand channels have few of them. */
class Knowers {
  readonly #rules: Rules
  readonly #numbers = new Map<string, number | null>()
  readonly lists: Array<ReadonlyArray<UserId>> = []

  constructor(rules: Rules) {
    this.#rules = rules
  }

  /** The numbers of the lists of a private channel. Subscribers and administrators may be in them, too. */
  of(channel: ChannelRecord): ReadonlyArray<number> {
    return sightPermissions.flatMap((name) => {
      const setting = channel.permissions[name]
      const key = `${name} ${typeof setting === "number" ? setting : JSON.stringify(setting)}`
      const known = this.#numbers.get(key)
      const number = known === undefined ? this.#add(key, holdersOf(this.#rules, channel, [name])) : known
      return number === null ? [] : [number]
    })
  }

  #add(key: string, holders: ReadonlyArray<UserId>): number | null {
    const number = holders.length === 0 ? null : this.lists.push(holders) - 1
    this.#numbers.set(key, number)
    return number
  }
}

/** These channels, with what says who sees which of them. */
export const placesOf = (rules: Rules, channels: ReadonlyArray<ChannelRecord>): InPlaces => {
  const knowers = new Knowers(rules)
  const places = new Map<string, Place & { readonly channel_ids: Array<ChannelId> }>()
  for (const channel of channels) {
    const { id, is_private, is_web_public } = channel
    const known_by = is_private ? knowers.of(channel) : []
    const key = `${is_private} ${is_web_public} ${channel.is_archived} ${known_by}`
    const known = places.get(key)
    if (known === undefined)
      places.set(key, { channel_ids: [id], is_private, is_web_public, ...archivedMark(channel), known_by })
    else known.channel_ids.push(id)
  }
  return { places: [...places.values()], knowers: knowers.lists }
}
