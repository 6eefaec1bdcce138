/** Subscriptions over time, as spans (role-spans.ts), and the sets of those who are subscribed now. */
import type { PrivacyAtRow } from "../../../events/audience.ts"
import { emptyUserSet, inSet, type UserSet, userSet, withoutUser, withUser } from "../../../events/event.ts"
import { type ChannelId, UserId } from "../../../ids.ts"
import { ChannelSpans } from "./channel-spans.ts"
import { ChannelsByUser } from "./channels-by-user.ts"
import type { SubscriptionSettings } from "./records.ts"
import type { LogSpan } from "./role-spans.ts"

/** A subscription. */
export interface SubscriptionSpan extends LogSpan {
  /** From where on its user holds what came into the channel, if that is before `opened`: a new account is given messages. */
  readonly readsFrom?: number
}

/** Whether it is its user's newest. */
const isLast = (spans: ChannelSpans, row: number): boolean =>
  row + 1 === spans.size || spans.userAt(row + 1) !== spans.userAt(row)

/** The set with more users. Merging 500 into 10,000 takes a tenth of the time of building a new set. */
const withUsers = (set: UserSet, users: ReadonlyArray<UserId>): UserSet => {
  const [only, ...others] = users
  if (only !== undefined && others.length === 0) return withUser(set, only)
  const added = userSet(users.filter((user) => !inSet(set, user)))
  const wider = new Uint32Array(set.length + added.length)
  wider.set(set)
  wider.set(added, set.length)
  return wider.sort()
}

/** Subscriptions over time, with the current subscribers of each channel as a shared, sorted set. */
export class SubscriptionSpans {
  readonly #byChannel = new Map<ChannelId, ChannelSpans>()
  readonly #current = new Map<ChannelId, UserSet>()
  /** The newest position at which anybody left the channel. */
  readonly #lastLeft = new Map<ChannelId, number>()
  readonly #own = new ChannelsByUser()

  add(channel: ChannelId, user: UserId, span: SubscriptionSpan): void {
    this.addAll(channel, [user], span)
  }

  close(channel: ChannelId, user: UserId, position: number): void {
    if (this.wasSubscribed(channel, user)) this.closeAll(channel, [user], position)
  }

  /** Adds a span for each of many users, and makes the new set of current subscribers only once. */
  addAll(channel: ChannelId, users: ReadonlyArray<UserId>, span: SubscriptionSpan): void {
    const { opened, closed, readsFrom = opened } = span
    const before = this.#current.get(channel)
    this.#made(channel).add(userSet(users), opened, closed, readsFrom)
    for (const user of users) this.#own.enter(user, channel)
    if (closed !== null) this.#left(channel, closed)
    else if (before !== undefined) this.#current.set(channel, withUsers(before, users))
  }

  closeAll(channel: ChannelId, users: ReadonlyArray<UserId>, position: number): void {
    this.#left(channel, position)
    const spans = this.#byChannel.get(channel)
    for (const user of users) spans?.close(user, position)
    const before = this.#current.get(channel)
    // Nobody has asked for it since the load: it is made when somebody does.
    if (before === undefined) return
    const [only, ...others] = users
    const gone = new Set<number>(users)
    const left =
      only !== undefined && others.length === 0 ? withoutUser(before, only) : before.filter((user) => !gone.has(user))
    this.#current.set(channel, left)
  }

  /** Gives a subscriber what came into the channel from an earlier position on. */
  give(channel: ChannelId, user: UserId, readsFrom: number): void {
    this.#byChannel.get(channel)?.give(user, readsFrom)
  }

  /** Adds a span in any order, before anything is asked; `settle` ends it. */
  load(channel: ChannelId, user: UserId, opened: number, closed: number | null, readsFrom: number): void {
    this.#made(channel).append(user, opened, closed, readsFrom)
    this.#own.enter(user, channel)
    if (closed !== null) this.#left(channel, closed)
  }

  /** One piece of work for each channel, after which what was loaded may be asked for. */
  settling(): Iterable<() => void> {
    return [...this.#byChannel.values()].map((spans) => () => spans.settle())
  }

  #made(channel: ChannelId): ChannelSpans {
    const known = this.#byChannel.get(channel)
    if (known !== undefined) return known
    const made = new ChannelSpans()
    this.#byChannel.set(channel, made)
    return made
  }

  #left(channel: ChannelId, position: number): void {
    this.#lastLeft.set(channel, Math.max(position, this.#lastLeft.get(channel) ?? 0))
  }

  /**
   * Those who hold what came into the channel at one of the positions from `since` to `through`, because they were
   * subscribed then or were given it with their account; and where the history is shared the current subscribers too. Of a
   * private channel only those who are subscribed now. Mostly that is the set of the current ones itself, because nobody has
   * left since. Else 100,000 users take 1 ms.
   */
  holders(
    channel: ChannelId,
    since: number,
    through: number,
    { isPrivate, historyShared: shared }: Pick<PrivacyAtRow, "isPrivate" | "historyShared">,
  ): UserSet {
    if (shared && (isPrivate || (this.#lastLeft.get(channel) ?? 0) <= since)) return this.subscribers(channel)
    if (isPrivate)
      return this.subscribers(channel).filter((user) => this.heldBetween(channel, UserId(user), since, through))
    return this.#usersWhere(
      channel,
      (spans, row) => spans.holdsAt(row, since, through) || (shared && spans.isOpenAt(row)),
    )
  }

  /** Those who hold what came into the channel at a position, whether or not they may still read it. */
  receivers(channel: ChannelId, since: number): UserSet {
    return this.#usersWhere(channel, (spans, row) => spans.holdsAt(row, since, since))
  }

  /** The users of whom a row is such a one. Rows are sorted by user, and so is the answer. */
  #usersWhere(channel: ChannelId, isWanted: (spans: ChannelSpans, row: number) => boolean): UserSet {
    const spans = this.#byChannel.get(channel)
    if (spans === undefined) return emptyUserSet
    const found: Array<number> = []
    for (let row = 0; row < spans.size; row++) {
      const user = spans.userAt(row)
      if (isWanted(spans, row) && found[found.length - 1] !== user) found.push(user)
    }
    return Uint32Array.from(found)
  }

  #isAny(channel: ChannelId, user: UserId, isWanted: (spans: ChannelSpans, row: number) => boolean): boolean {
    const spans = this.#byChannel.get(channel)
    if (spans === undefined) return false
    for (let row = spans.firstOf(user); row < spans.size && spans.userAt(row) === user; row++)
      if (isWanted(spans, row)) return true
    return false
  }

  /** Whether a user is one of the `holders`, by a subscription of then or by what they were given. */
  heldBetween(channel: ChannelId, user: UserId, since: number, through: number): boolean {
    return this.#isAny(channel, user, (spans, row) => spans.holdsAt(row, since, through))
  }

  /** The same of one position. */
  heldAt(channel: ChannelId, user: UserId, since: number): boolean {
    return this.heldBetween(channel, user, since, since)
  }

  /** A user's subscriptions of a channel, the oldest first; none: they were never there. */
  of(channel: ChannelId, user: UserId): ReadonlyArray<SubscriptionSpan> {
    const spans = this.#byChannel.get(channel)
    const found: Array<SubscriptionSpan> = []
    if (spans === undefined) return found
    for (let row = spans.firstOf(user); row < spans.size && spans.userAt(row) === user; row++)
      found.push({ opened: spans.openedAt(row), closed: spans.closedAt(row), readsFrom: spans.readsFromAt(row) })
    return found
  }

  /** All who are or were subscribed to a channel. */
  ever(channel: ChannelId): ReadonlyArray<UserId> {
    return userIds(this.#usersWhere(channel, () => true))
  }

  /** All who are or were subscribed, without those who are since a position or longer, and so hold what came there since. */
  notThroughout(channel: ChannelId, since: number): UserSet {
    return this.#usersWhere(
      channel,
      (spans, row) => isLast(spans, row) && (!spans.isOpenAt(row) || spans.openedAt(row) > since),
    )
  }

  /** The current subscribers. The set is immutable: a change of the channel makes a new one. */
  subscribers(channel: ChannelId): UserSet {
    const known = this.#current.get(channel)
    if (known !== undefined) return known
    if (!this.#byChannel.has(channel)) return emptyUserSet
    const open = this.#usersWhere(channel, (spans, row) => spans.isOpenAt(row))
    this.#current.set(channel, open)
    return open
  }

  isSubscribed(channel: ChannelId, user: UserId): boolean {
    const spans = this.#byChannel.get(channel)
    const row = spans?.lastOf(user) ?? -1
    return spans !== undefined && row >= 0 && spans.isOpenAt(row)
  }

  subscribedAt(channel: ChannelId, user: UserId, position: number): boolean {
    return this.#isAny(channel, user, (spans, row) => spans.coversAt(row, position))
  }

  /** The position at which the user subscribed; null if they are not subscribed. */
  openSince(channel: ChannelId, user: UserId): number | null {
    const spans = this.#byChannel.get(channel)
    const row = spans?.lastOf(user) ?? -1
    return spans !== undefined && row >= 0 && spans.isOpenAt(row) ? spans.openedAt(row) : null
  }

  /** The position at which the newest subscription ended; null if it is open or there was none. */
  leftAt(channel: ChannelId, user: UserId): number | null {
    const spans = this.#byChannel.get(channel)
    const row = spans?.lastOf(user) ?? -1
    return spans !== undefined && row >= 0 ? spans.closedAt(row) : null
  }

  /** The subscribers at a past position, in ascending order. */
  subscribersAt(channel: ChannelId, position: number): ReadonlyArray<UserId> {
    return userIds(this.#usersWhere(channel, (spans, row) => spans.coversAt(row, position)))
  }

  channelsEver(user: UserId): Iterable<ChannelId> {
    return this.#own.channels(user)
  }

  /** Whether the user is or was subscribed. */
  wasSubscribed(channel: ChannelId, user: UserId): boolean {
    return this.#own.wasIn(user, channel)
  }

  settings(user: UserId, channel: ChannelId): SubscriptionSettings | undefined {
    return this.#own.settings(user, channel)
  }

  setSettings(user: UserId, channel: ChannelId, settings: SubscriptionSettings): void {
    this.#own.setSettings(user, channel, settings)
  }

  /** The same of many, as numbers; see ChannelsByUser. */
  loadSettings(user: UserId, channel: ChannelId, look: number): void {
    this.#own.setPacked(user, channel, look, 0)
  }

  /** The colours of a user's channels. */
  colorsOf(user: UserId): ReadonlyArray<string> {
    return this.#own.colors(user)
  }
}

export const userIds = (set: UserSet): ReadonlyArray<UserId> => Array.from(set, UserId)
