/**
 * Spans: from which position of the log to which a user had a role or a subscription. They are half-open: the row that
 * opens a span is inside, the row that closes it is outside. Closed spans are kept, because audiences of past rows are
 * found by them.
 */

import type { PrivacyAtRow } from "../../../events/audience.ts"
import { emptyUserSet, inSet, type UserSet, userSet, withoutUser, withUser } from "../../../events/event.ts"
import { type ChannelId, UserId } from "../../../ids.ts"
import type { SubscriptionSettings } from "./records.ts"
import { type Role, roles } from "./values.ts"

export interface Span {
  readonly opened: number
  /** null: still open. */
  readonly closed: number | null
}

/** A subscription. */
export interface Subscription extends Span {
  /** From where on its user holds what came into the channel, if that is before `opened`: a new account is given messages. */
  readonly readsFrom?: number
}

const covers = (span: Span, position: number): boolean =>
  span.opened <= position && (span.closed === null || position < span.closed)

/** Whether the user holds what came into the channel at one of these positions. */
const holds = ({ opened, closed, readsFrom = opened }: Subscription, since: number, through: number): boolean =>
  readsFrom <= through && (closed === null || since < closed)

const closeLast = <S extends Span>(spans: ReadonlyArray<S>, position: number): ReadonlyArray<S> =>
  spans.map((span) => (span.closed === null ? { ...span, closed: position } : span))

/** The set with more users. Merging 500 into 10,000 takes a tenth of the time of building a new set. */
const withUsers = (set: UserSet, users: ReadonlyArray<UserId>): UserSet => {
  const added = userSet(users.filter((user) => !inSet(set, user)))
  const wider = new Uint32Array(set.length + added.length)
  wider.set(set)
  wider.set(added, set.length)
  return wider.sort()
}

/** The roles of users over time. A user without an open span is deactivated. */
export class RoleSpans {
  readonly #spans = new Map<UserId, ReadonlyArray<Span & { readonly role: Role }>>()
  /** Those whose newest role is that of a guest, deactivated ones too. */
  readonly #guests = new Set<UserId>()
  #changes = 0

  get guests(): ReadonlySet<UserId> {
    return this.#guests
  }

  /** Number of changes so far: while it is the same, so is who is active. */
  get changes(): number {
    return this.#changes
  }

  add(user: UserId, role: Role, span: Span): void {
    this.#changes += 1
    this.#spans.set(user, [...(this.#spans.get(user) ?? []), { ...span, role }])
    if (role === roles.guest) this.#guests.add(user)
    else this.#guests.delete(user)
  }

  close(user: UserId, position: number): void {
    this.#changes += 1
    this.#spans.set(user, closeLast(this.#spans.get(user) ?? [], position))
  }

  /** The role at a position; undefined if the user was not active then. */
  at(user: UserId, position: number): Role | undefined {
    return this.#spans.get(user)?.find((span) => covers(span, position))?.role
  }

  /** Whether the user had a role at any position from the one to the other. */
  hadBetween(user: UserId, role: Role, from: number, to: number): boolean {
    const spans = this.#spans.get(user) ?? []
    return spans.some((span) => span.role === role && span.opened <= to && (span.closed === null || from < span.closed))
  }

  /** The position at which a deactivated user was deactivated. A span of length zero is a role given to them since. */
  leftAt(user: UserId): number | null {
    return this.#spans.get(user)?.findLast((span) => span.opened !== span.closed)?.closed ?? null
  }

  /** The newest span, open or closed. */
  last(user: UserId): (Span & { readonly role: Role }) | undefined {
    return this.#spans.get(user)?.at(-1)
  }
}

const nobody: ReadonlyMap<UserId, ReadonlyArray<Subscription>> = new Map()

/** Subscriptions over time, with the current subscribers of each channel as a shared, sorted set. */
export class SubscriptionSpans {
  readonly #byChannel = new Map<ChannelId, Map<UserId, ReadonlyArray<Subscription>>>()
  readonly #current = new Map<ChannelId, UserSet>()
  /** The newest position at which anybody left the channel. */
  readonly #lastLeft = new Map<ChannelId, number>()
  readonly #channelsOf = new Map<UserId, Set<ChannelId>>()
  readonly #settings = new Map<UserId, Map<ChannelId, SubscriptionSettings>>()

  add(channel: ChannelId, user: UserId, span: Subscription): void {
    const users = this.#byChannel.get(channel) ?? new Map<UserId, ReadonlyArray<Subscription>>()
    users.set(user, [...(users.get(user) ?? []), span])
    this.#byChannel.set(channel, users)
    if (span.closed !== null) this.#left(channel, span.closed)
    const channels = this.#channelsOf.get(user) ?? new Set<ChannelId>()
    channels.add(channel)
    this.#channelsOf.set(user, channels)
    const current = this.#current.get(channel)
    if (current !== undefined && span.closed === null) this.#current.set(channel, withUser(current, user))
  }

  close(channel: ChannelId, user: UserId, position: number): void {
    const users = this.#byChannel.get(channel)
    const spans = users?.get(user)
    if (users === undefined || spans === undefined) return
    users.set(user, closeLast(spans, position))
    this.#left(channel, position)
    this.#current.set(channel, withoutUser(this.subscribers(channel), user))
  }

  /** Adds many spans, and makes the new set of current subscribers only once. */
  addAll(channel: ChannelId, users: ReadonlyArray<UserId>, span: Span): void {
    const before = this.#current.get(channel)
    this.#current.delete(channel)
    for (const user of users) this.add(channel, user, span)
    if (before !== undefined && span.closed === null) this.#current.set(channel, withUsers(before, users))
  }

  closeAll(channel: ChannelId, users: ReadonlyArray<UserId>, position: number): void {
    this.#left(channel, position)
    const gone = new Set<number>(users)
    const left = this.subscribers(channel).filter((user) => !gone.has(user))
    const spans = this.#byChannel.get(channel)
    for (const user of users) {
      const known = spans?.get(user)
      if (known !== undefined) spans?.set(user, closeLast(known, position))
    }
    this.#current.set(channel, left)
  }

  /** Gives a subscriber what came into the channel from an earlier position on. */
  give(channel: ChannelId, user: UserId, readsFrom: number): void {
    const users = this.#byChannel.get(channel)
    const spans = users?.get(user)
    if (spans === undefined) return
    const isLater = ({ opened, closed, readsFrom: known = opened }: Subscription) =>
      closed === null && readsFrom < known
    users?.set(
      user,
      spans.map((span) => (isLater(span) ? { ...span, readsFrom } : span)),
    )
  }

  #left(channel: ChannelId, position: number): void {
    this.#lastLeft.set(channel, Math.max(position, this.#lastLeft.get(channel) ?? 0))
  }

  /**
   * Those who hold what came into the channel at one of the positions from `since` to `through`, because they were
   * subscribed then or were given it with their account; and where the history is shared the current subscribers too. Of a
   * private channel only those who are subscribed now. Mostly that is the set of the current ones itself, because nobody has
   * left since. Else 100,000 users take 10 ms.
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
    const then = this.#holdersBetween(channel, since, through)
    return userSet(shared ? [...this.subscribers(channel), ...then] : then)
  }

  /** Those who hold what came into the channel at a position, whether or not they may still read it. */
  receivers(channel: ChannelId, since: number): UserSet {
    return userSet(this.#holdersBetween(channel, since, since))
  }

  #holdersBetween(channel: ChannelId, since: number, through: number): ReadonlyArray<UserId> {
    const found: Array<UserId> = []
    for (const [user, spans] of this.#byChannel.get(channel) ?? [])
      if (spans.some((span) => holds(span, since, through))) found.push(user)
    return found
  }

  /** Whether a user is one of the `holders`, by a subscription of then or by what they were given. */
  heldBetween(channel: ChannelId, user: UserId, since: number, through: number): boolean {
    const spans = this.#byChannel.get(channel)?.get(user)
    return spans?.some((span) => holds(span, since, through)) ?? false
  }

  /** The same of one position. */
  heldAt(channel: ChannelId, user: UserId, since: number): boolean {
    return this.heldBetween(channel, user, since, since)
  }

  /** Everybody's subscriptions of a channel, the oldest first. */
  of(channel: ChannelId): ReadonlyMap<UserId, ReadonlyArray<Subscription>> {
    return this.#byChannel.get(channel) ?? nobody
  }

  /** All who are or were subscribed, without those who are since a position or longer, and so hold what came there since. */
  notThroughout(channel: ChannelId, since: number): UserSet {
    const found: Array<UserId> = []
    for (const [user, spans] of this.#byChannel.get(channel) ?? []) {
      const last = spans.at(-1)
      if (last !== undefined && (last.closed !== null || last.opened > since)) found.push(user)
    }
    return userSet(found)
  }

  /** The current subscribers. The set is immutable: a change of the channel makes a new one. */
  subscribers(channel: ChannelId): UserSet {
    const known = this.#current.get(channel)
    if (known !== undefined) return known
    const spans = this.#byChannel.get(channel)
    if (spans === undefined) return emptyUserSet
    const open = userSet([...spans].filter(([, each]) => each.at(-1)?.closed === null).map(([user]) => user))
    this.#current.set(channel, open)
    return open
  }

  isSubscribed(channel: ChannelId, user: UserId): boolean {
    return this.#byChannel.get(channel)?.get(user)?.at(-1)?.closed === null
  }

  subscribedAt(channel: ChannelId, user: UserId, position: number): boolean {
    return (
      this.#byChannel
        .get(channel)
        ?.get(user)
        ?.some((span) => covers(span, position)) ?? false
    )
  }

  /** The position at which the user subscribed; null if they are not subscribed. */
  openSince(channel: ChannelId, user: UserId): number | null {
    const last = this.#byChannel.get(channel)?.get(user)?.at(-1)
    return last?.closed === null ? last.opened : null
  }

  /** The position at which the newest subscription ended; null if it is open or there was none. */
  leftAt(channel: ChannelId, user: UserId): number | null {
    return this.#byChannel.get(channel)?.get(user)?.at(-1)?.closed ?? null
  }

  /** The subscribers at a past position, in ascending order. */
  subscribersAt(channel: ChannelId, position: number): ReadonlyArray<UserId> {
    const found: Array<UserId> = []
    for (const [user, spans] of this.#byChannel.get(channel) ?? []) {
      if (spans.some((span) => covers(span, position))) found.push(user)
    }
    return found.sort((a, b) => a - b)
  }

  channelsEver(user: UserId): Iterable<ChannelId> {
    return this.#channelsOf.get(user) ?? []
  }

  /** Whether the user is or was subscribed. */
  wasSubscribed(channel: ChannelId, user: UserId): boolean {
    return this.#channelsOf.get(user)?.has(channel) ?? false
  }

  settings(user: UserId, channel: ChannelId): SubscriptionSettings | undefined {
    return this.#settings.get(user)?.get(channel)
  }

  setSettings(user: UserId, channel: ChannelId, settings: SubscriptionSettings): void {
    const known = this.#settings.get(user) ?? new Map<ChannelId, SubscriptionSettings>()
    known.set(channel, settings)
    this.#settings.set(user, known)
  }

  /** The colours of a user's channels. */
  colorsOf(user: UserId): ReadonlyArray<string> {
    return [...(this.#settings.get(user)?.values() ?? [])].map((each) => each.color)
  }
}

export const userIds = (set: UserSet): ReadonlyArray<UserId> => Array.from(set, UserId)
