/**
 * Of the channels of a row that tells of many at once, those that a receiver sees at the row's position: the same people as
 * in the audience `channel`, judged for all channels together. Whoever sees the same ones gets the same bytes.
 */
import type { EventReceiver } from "../../../../events/encode.ts"
import { emptyUserSet, inSet, userSet } from "../../../../events/event.ts"
import type { ChannelId, UserId } from "../../../../ids.ts"
import type { Realm } from "../../realm/realm.ts"
import type { ChannelsByViewers } from "./channels-by-viewers.ts"

/** Channels that the same people see, beside whoever is in them: those from one place in the list up to another. */
interface ChannelRange {
  readonly from: number
  readonly end: number
  readonly isArchived: boolean
  /** Whether somebody sees them who is in none of them: by their role, or else by a permission. */
  readonly isOpenTo: (user: UserId) => boolean
  readonly isKnownTo: (user: UserId) => boolean
}

/**
 * How a receiver sees which channels, each in the first way that holds: places by their role, places by a permission (both by
 * their numbers), and channels only because they are in them. Few people differ in the first, and nearly all in the last.
 */
export interface ChannelVisibility {
  readonly byRole: ReadonlyArray<number>
  readonly byPermission: ReadonlyArray<number>
  readonly asSubscriber: ReadonlyArray<ChannelId>
}

type AccessHistory = Pick<Realm, "subscriptions" | "activeAt" | "memberAt" | "administratorAt">

const isIn = (bits: Buffer, at: number): boolean => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0
const put = (bits: Buffer, at: number): void => {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
}

export class VisibleChannels {
  readonly #ids: ReadonlyArray<ChannelId>
  readonly #places: ReadonlyArray<ChannelRange>
  readonly #at = new Map<ChannelId, number>()
  readonly #archived = new Set<ChannelId>()
  readonly #subscribedAt: (channel: ChannelId, user: UserId) => boolean
  readonly #channelsEver: (user: UserId) => Iterable<ChannelId>

  constructor(people: AccessHistory, { places, knowers }: ChannelsByViewers, position: number) {
    const lists = knowers.map(userSet)
    this.#ids = places.flatMap(({ channel_ids }) => channel_ids)
    for (const [at, channel] of this.#ids.entries()) this.#at.set(channel, at)
    let end = 0
    this.#places = places.map(({ channel_ids, is_private, is_web_public, is_archived, known_by }) => {
      const from = end
      end += channel_ids.length
      if (is_archived === true) for (const channel of channel_ids) this.#archived.add(channel)
      const isOpenTo = is_private
        ? (user: UserId) => people.administratorAt(user, position)
        : (user: UserId) => people.memberAt(user, position) || (is_web_public && people.activeAt(user, position))
      const isKnownTo = (user: UserId) => known_by.some((n) => inSet(lists[n] ?? emptyUserSet, user))
      return { from, end, isArchived: is_archived === true, isOpenTo, isKnownTo }
    })
    this.#subscribedAt = (channel, user) => people.subscriptions.subscribedAt(channel, user, position)
    this.#channelsEver = (user) => people.subscriptions.channelsEver(user)
  }

  /** How many channels there are: the most that one receiver takes to judge. */
  get size(): number {
    return this.#ids.length
  }

  /** Which of the channels a receiver sees, as a key. */
  key(receiver: EventReceiver): string {
    return this.#bits(receiver).toString("latin1")
  }

  /** The channels that a receiver sees. Of a thousand most see a few, so bytes without a bit are passed over. */
  of(receiver: EventReceiver): ReadonlyArray<ChannelId> {
    const found: Array<ChannelId> = []
    for (const [byte, value] of this.#bits(receiver).entries()) {
      if (value === 0) continue
      for (let bit = 0; bit < 8; bit++) {
        const channel = (value & (1 << bit)) === 0 ? undefined : this.#ids[8 * byte + bit]
        if (channel !== undefined) found.push(channel)
      }
    }
    return found.sort((a, b) => a - b)
  }

  /** The channels of some places. */
  within(places: ReadonlyArray<number>): ReadonlyArray<ChannelId> {
    const found: Array<ChannelId> = []
    for (const n of places) {
      const { from, end } = this.#places[n] ?? { from: 0, end: 0 }
      for (const channel of this.#ids.slice(from, end)) found.push(channel)
    }
    return found.sort((a, b) => a - b)
  }

  /** Clients without `archived_channels` know archived ones as deleted, and do not hear of them. */
  visibility({ user, rendering: { archivedChannels } }: EventReceiver): ChannelVisibility {
    const bits = Buffer.alloc(Math.ceil(this.#ids.length / 8))
    const [byRole, byPermission]: [Array<number>, Array<number>] = [[], []]
    const asSubscriber: Array<ChannelId> = []
    let left = this.#ids.length
    for (const [n, { from, end, isArchived, isOpenTo, isKnownTo }] of this.#places.entries()) {
      if (isArchived && !archivedChannels) continue
      const places = isOpenTo(user) ? byRole : isKnownTo(user) ? byPermission : undefined
      if (places === undefined) continue
      places.push(n)
      for (let at = from; at < end; at++) put(bits, at)
      left -= end - from
    }
    if (left === 0) return { byRole, byPermission, asSubscriber }
    for (const channel of this.#channelsEver(user)) {
      const at = this.#at.get(channel)
      if (at === undefined || isIn(bits, at) || (!archivedChannels && this.#archived.has(channel))) continue
      if (this.#subscribedAt(channel, user)) asSubscriber.push(channel)
    }
    return { byRole, byPermission, asSubscriber: asSubscriber.sort((a, b) => a - b) }
  }

  /** One bit for each channel that a receiver sees. */
  #bits(receiver: EventReceiver): Buffer {
    const bits = Buffer.alloc(Math.ceil(this.#ids.length / 8))
    const { byRole, byPermission, asSubscriber } = this.visibility(receiver)
    for (const places of [byRole, byPermission])
      for (const n of places) {
        const { from, end } = this.#places[n] ?? { from: 0, end: 0 }
        for (let at = from; at < end; at++) put(bits, at)
      }
    for (const channel of asSubscriber) put(bits, this.#at.get(channel) ?? 0)
    return bits
  }
}
