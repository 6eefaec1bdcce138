/**
 * Of each user the channels where they are or were subscribed, sorted, with their settings for them: 9 bytes for each. All
 * lists lie in one pool, because an array of its own for each of 100,000 users takes more than what is in it.
 */
import { ChannelId, type UserId } from "../../../ids.ts"
import { displayBits, packSettings, unpackColor, unpackSettings } from "./packed-settings.ts"
import type { SubscriptionSettings } from "./records.ts"

/** Bits of `look` beside those of the settings. */
const hasSettings = 1 << displayBits
/** The settings are among `#odd`. */
const isOdd = 1 << (displayBits + 1)
/** They are or were subscribed. Settings alone make nobody a subscriber. */
const isEver = 1 << (displayBits + 2)

const firstPool = 64
const growth = 1.25
const leastRoom = 4

/** Room for a list of so many channels: up to a quarter more, so that it seldom moves and few places are empty. */
const roomFor = (count: number): number => {
  const step = Math.max(leastRoom, 1 << (29 - Math.clz32(count | 4)))
  return (count + step - 1) & -step
}

const nowhere: ReadonlyArray<ChannelId> = []

export class ChannelsByUser {
  /** Where a user's list begins. In its first place stands how many channels follow. */
  readonly #starts = new Map<UserId, number>()
  #channel = new Uint32Array(firstPool)
  #look = new Uint32Array(firstPool)
  #notify = new Uint8Array(firstPool)
  #used = 0
  /** Where lists have moved away, by their room. */
  readonly #free = new Map<number, Array<number>>()
  readonly #odd = new Map<UserId, Map<ChannelId, SubscriptionSettings>>()

  /** Notes that the user is subscribed. */
  enter(user: UserId, channel: ChannelId): void {
    const at = this.#make(user, channel)
    this.#look[at] = (this.#look[at] ?? 0) | isEver
  }

  wasIn(user: UserId, channel: ChannelId): boolean {
    return this.#has(this.#find(user, channel), isEver)
  }

  /** The channels where the user is or was, in the order of their ids. */
  channels(user: UserId): ReadonlyArray<ChannelId> {
    const start = this.#starts.get(user)
    if (start === undefined) return nowhere
    const found: Array<ChannelId> = []
    const end = this.#endOf(start)
    for (let at = start + 1; at < end; at++) if (this.#has(at, isEver)) found.push(ChannelId(this.#channel[at] ?? 0))
    return found
  }

  settings(user: UserId, channel: ChannelId): SubscriptionSettings | undefined {
    const at = this.#find(user, channel)
    return this.#has(at, hasSettings) ? this.#settingsAt(at, user) : undefined
  }

  setSettings(user: UserId, channel: ChannelId, settings: SubscriptionSettings): void {
    const packed = packSettings(settings)
    if (packed === null) {
      const known = this.#odd.get(user) ?? new Map<ChannelId, SubscriptionSettings>()
      known.set(channel, settings)
      this.#odd.set(user, known)
    } else this.#odd.get(user)?.delete(channel)
    this.setPacked(user, channel, packed?.look ?? isOdd, packed?.notify ?? 0)
  }

  /** The same of settings as numbers (packed-settings.ts), which a load has by the million. */
  setPacked(user: UserId, channel: ChannelId, look: number, notify: number): void {
    const at = this.#make(user, channel)
    this.#look[at] = ((this.#look[at] ?? 0) & isEver) | hasSettings | look
    this.#notify[at] = notify
  }

  colors(user: UserId): ReadonlyArray<string> {
    const start = this.#starts.get(user)
    if (start === undefined) return []
    const found: Array<string> = []
    const end = this.#endOf(start)
    for (let at = start + 1; at < end; at++) {
      const look = this.#look[at] ?? 0
      if (this.#has(at, isOdd)) found.push(this.#settingsAt(at, user).color)
      else if (this.#has(at, hasSettings)) found.push(unpackColor(look))
    }
    return found
  }

  #settingsAt(at: number, user: UserId): SubscriptionSettings {
    const odd = this.#has(at, isOdd) ? this.#odd.get(user)?.get(ChannelId(this.#channel[at] ?? 0)) : undefined
    return odd ?? unpackSettings({ look: this.#look[at] ?? 0, notify: this.#notify[at] ?? 0 })
  }

  /** `at`: -1 for nowhere. */
  #has(at: number, bit: number): boolean {
    return ((this.#look[at] ?? 0) & bit) !== 0
  }

  #endOf(start: number): number {
    return start + 1 + (this.#channel[start] ?? 0)
  }

  /** The first place from `start` with this channel or a later one. */
  #seek(start: number, channel: ChannelId): number {
    let [low, high] = [start + 1, this.#endOf(start)]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#channel[middle] ?? 0) < channel) low = middle + 1
      else high = middle
    }
    return low
  }

  #find(user: UserId, channel: ChannelId): number {
    const start = this.#starts.get(user)
    if (start === undefined) return -1
    const at = this.#seek(start, channel)
    return at < this.#endOf(start) && this.#channel[at] === channel ? at : -1
  }

  /** The place of a channel in a user's list, new where it was not there. */
  #make(user: UserId, channel: ChannelId): number {
    const known = this.#starts.get(user) ?? this.#take(user, roomFor(1))
    const at = this.#seek(known, channel)
    const end = this.#endOf(known)
    if (at < end && this.#channel[at] === channel) return at
    const count = end - known
    const start = roomFor(count) < count + 1 ? this.#move(user, known, count) : known
    const place = start + (at - known)
    if (at < end) this.#shift(place + 1, place, start + count)
    this.#channel[start] = count
    this.#channel[place] = channel
    this.#look[place] = 0
    this.#notify[place] = 0
    return place
  }

  /** Gives a user a list without channels. */
  #take(user: UserId, room: number): number {
    const start = this.#free.get(room)?.pop() ?? this.#extend(room)
    this.#starts.set(user, start)
    this.#channel[start] = 0
    return start
  }

  /** Gives a user's list, which takes `count` places and is full, more room. */
  #move(user: UserId, from: number, count: number): number {
    const room = roomFor(count + 1)
    const before = roomFor(count)
    // While a load brings list after list, the one that grows is the last one.
    if (from + before === this.#used) {
      this.#extend(room - before)
      return from
    }
    const start = this.#take(user, room)
    this.#shift(start, from, from + count)
    const free = this.#free.get(before) ?? []
    free.push(from)
    this.#free.set(before, free)
    return start
  }

  /** Copies places within the pool. */
  #shift(to: number, from: number, end: number): void {
    this.#channel.copyWithin(to, from, end)
    this.#look.copyWithin(to, from, end)
    this.#notify.copyWithin(to, from, end)
  }

  #extend(places: number): number {
    const start = this.#used
    this.#used += places
    const room = this.#channel.length
    if (this.#used > room) {
      const wanted = Math.max(this.#used, Math.ceil(room * growth))
      const [channel, look, notify] = [new Uint32Array(wanted), new Uint32Array(wanted), new Uint8Array(wanted)]
      channel.set(this.#channel)
      look.set(this.#look)
      notify.set(this.#notify)
      this.#channel = channel
      this.#look = look
      this.#notify = notify
    }
    return start
  }
}
