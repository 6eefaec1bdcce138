/**
 * An organization in memory: users, channels, groups and subscriptions, for everything that must not wait for the
 * database. It is a projection: it is loaded at a position of the log and then moved by every later row, whatever the
 * row's audience, and always equals a freshly loaded one (I12). Only the feed moves it.
 */
import type { FormerChannel, PrivacyAtRow } from "../../../events/audience.ts"
import type { LogRow, Membership } from "../../../events/event.ts"
import type { FedProjection } from "../../../events/feed.ts"
import { ChannelId, GroupId, type RealmId, UserId } from "../../../ids.ts"
import { fold, roles } from "./domain-values.ts"
import { GroupIndex } from "./group-index.ts"
import { keptAccess } from "./kept-messages.ts"
import type { ProjectionPart, ProjectionSlot, ProjectionSlots } from "./projection-part.ts"
import type { Rules } from "./realm-rules.ts"
import type { RealmSettings } from "./realm-settings.ts"
import type { ChannelRecord, UserRecord } from "./records.ts"
import { RoleSpans } from "./role-spans.ts"
import { SubscriptionSpans } from "./subscription-spans.ts"

/** The state in which a projection begins. */
export interface RealmStart {
  readonly id: RealmId
  readonly host: string
  readonly epoch: string
  readonly settings: RealmSettings
  /** Whether people without a picture have that of gravatar.com; absent: false. */
  readonly usesGravatar?: boolean
  /** The position of the log that the state belongs to. */
  readonly position: number
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  readonly now: () => number
  readonly moves: ProjectionMoves
  /** The values that features keep of it, in any order. */
  readonly parts: ReadonlyArray<ProjectionSlot<unknown>>
}

/** How rows of each type change a projection. A row of any other type changes only its position. */
export type ProjectionMoves = ReadonlyMap<string, { readonly applyToProjection: (realm: Realm, row: LogRow) => void }>

export class Realm implements FedProjection, Membership, Rules {
  readonly id: RealmId
  readonly host: string
  readonly epoch: string
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** By the server's settings, as long as the process runs. */
  readonly usesGravatar: boolean
  readonly users = new Map<UserId, UserRecord>()
  /** Those of the users that are bots. */
  readonly bots = new Set<UserId>()
  /** Bots whose record is new, or another one, since their key was looked at: sign-in/bot-keys.ts takes them out. */
  readonly changedBots = new Set<UserId>()
  /** Those of the users whose role is administrator or owner, the deactivated too. */
  readonly administrators = new Set<UserId>()
  readonly channels = new Map<ChannelId, ChannelRecord>()
  readonly groups = new GroupIndex()
  readonly roles = new RoleSpans()
  readonly subscriptions = new SubscriptionSpans()
  readonly #byEmail = new Map<string, UserId>()
  readonly #byName = new Map<string, ChannelId>()
  readonly #byOwner = new Map<UserId, Set<UserId>>()
  /** Nearly always one person has a name, and a set for each would take 20 MB for 100,000. */
  readonly #byFullName = new Map<string, UserId | Set<UserId>>()
  #settings: RealmSettings
  #isDeactivated = false
  readonly #changedAt = new Map<string, number>()
  #position: number
  readonly #moves: ProjectionMoves
  readonly #slots: ProjectionSlots

  /** Milliseconds since the Unix epoch. */
  readonly now: () => number

  constructor({ id, host, epoch, settings, usesGravatar = false, position, createdAt, now, moves, parts }: RealmStart) {
    this.id = id
    this.host = host
    this.epoch = epoch
    this.createdAt = createdAt
    this.usesGravatar = usesGravatar
    this.now = now
    this.#settings = settings
    this.#position = position
    this.#moves = moves
    const slots: Array<ProjectionSlot<unknown> | undefined> = []
    for (const slot of parts) slots[slot.part.number] = slot
    // Without holes, so that V8 keeps it as a plain list.
    this.#slots = Array.from(slots)
  }

  /** The value that a feature keeps of this organization. Throws if the realm was made without it. */
  part<T>(part: ProjectionPart<T>): T {
    return part.in(this.#slots)
  }

  /** A part as plain data, for comparisons. */
  plainPart(part: ProjectionPart<unknown>): unknown {
    return part.plain(this.#slots)
  }

  /** The object is replaced whenever a setting changes. */
  get settings(): RealmSettings {
    return this.#settings
  }

  /** While true nobody can sign in or stay connected. */
  get isDeactivated(): boolean {
    return this.#isDeactivated
  }

  get position(): number {
    return this.#position
  }

  /** The position of the newest row of these types since the projection was loaded; 0: none. */
  changedAt(types: ReadonlyArray<string>): number {
    return Math.max(...types.map((type) => this.#changedAt.get(type) ?? 0))
  }

  findUserByEmail(email: string): UserRecord | undefined {
    const id = this.#byEmail.get(fold(email))
    return id === undefined ? undefined : this.users.get(id)
  }

  /** All who have this name, the deactivated too. */
  findUsersByName(name: string): Iterable<UserId> {
    const found = this.#byFullName.get(fold(name)) ?? []
    return typeof found === "number" ? [found] : found
  }

  findChannelByName(name: string): ChannelRecord | undefined {
    const id = this.#byName.get(fold(name))
    return id === undefined ? undefined : this.channels.get(id)
  }

  /** The bots that somebody owns, the deactivated too. */
  ownedBots(owner: UserId): Iterable<UserId> {
    return this.#byOwner.get(owner) ?? []
  }

  readonly isActive = (user: UserId): boolean => this.roles.last(user)?.closed === null
  readonly isSubscribed = (channel: ChannelId, user: UserId): boolean => this.subscriptions.isSubscribed(channel, user)

  /** Ids are dense and nothing is ever removed, so the next id is the count plus one. */
  nextUserId(): UserId {
    return UserId(this.users.size + 1)
  }
  nextChannelId(): ChannelId {
    return ChannelId(this.channels.size + 1)
  }
  nextGroupId(): GroupId {
    return GroupId(this.groups.size + 1)
  }

  setSettings(settings: RealmSettings): void {
    this.#settings = settings
  }

  setDeactivated(deactivated: boolean): void {
    this.#isDeactivated = deactivated
  }

  /** Records are replaced, not mutated, so a record can be compared by identity to see whether it is current. */
  setUser(user: UserRecord): void {
    const known = this.users.get(user.id)
    if (known !== undefined) this.#byEmail.delete(fold(known.email))
    this.users.set(user.id, user)
    if (user.role <= roles.administrator) this.administrators.add(user.id)
    else this.administrators.delete(user.id)
    if (user.is_bot) this.#setBot(user, known?.bot_owner_id ?? null)
    this.#byEmail.set(fold(user.email), user.id)
    if (known?.full_name !== user.full_name) this.#rename(user.id, known?.full_name, user.full_name)
  }

  #setBot({ id, bot_owner_id: owner }: UserRecord, before: UserId | null): void {
    this.bots.add(id)
    this.changedBots.add(id)
    if (before !== null && before !== owner) this.#byOwner.get(before)?.delete(id)
    if (owner === null) return
    const owned = this.#byOwner.get(owner)
    if (owned === undefined) this.#byOwner.set(owner, new Set([id]))
    else owned.add(id)
  }

  #rename(id: UserId, before: string | undefined, after: string): void {
    const old = before === undefined ? undefined : this.#byFullName.get(fold(before))
    if (before !== undefined && old === id) this.#byFullName.delete(fold(before))
    else if (typeof old === "object") old.delete(id)
    const others = this.#byFullName.get(fold(after))
    if (others === undefined) this.#byFullName.set(fold(after), id)
    else if (typeof others === "object") others.add(id)
    else this.#byFullName.set(fold(after), new Set([others, id]))
  }

  setChannel(channel: ChannelRecord): void {
    const known = this.channels.get(channel.id)
    if (known !== undefined) this.#byName.delete(fold(known.name))
    this.channels.set(channel.id, channel)
    this.#byName.set(fold(channel.name), channel.id)
  }

  // The interface Membership, which delivery asks.
  readonly subscribers = (channel: ChannelId) => this.subscriptions.subscribers(channel)
  readonly subscribedAt = (channel: ChannelId, user: UserId, position: number) =>
    this.subscriptions.subscribedAt(channel, user, position)
  readonly heldBetween = (channel: ChannelId, user: UserId, since: number, through: number) =>
    this.subscriptions.heldBetween(channel, user, since, through)
  readonly holders = (channel: ChannelId, since: number, through: number, was: PrivacyAtRow) =>
    this.subscriptions.holders(channel, since, through, was)
  readonly keeps = (place: FormerChannel, user: UserId, position: number) =>
    keptAccess(this, place, user, position) !== undefined
  readonly keepers = (place: FormerChannel, position: number) =>
    this.subscriptions.ever(place.channel).filter((user) => this.keeps(place, user, position))
  readonly activeAt = (user: UserId, position: number) => this.roles.at(user, position) !== undefined
  readonly memberAt = (user: UserId, position: number) => (this.roles.at(user, position) ?? roles.guest) < roles.guest
  /** Whether they were active and no guest at the one position, and no guest since up to the other one. */
  readonly memberThroughout = (user: UserId, from: number, position: number) =>
    this.memberAt(user, from) && !this.roles.hadBetween(user, roles.guest, from, position)
  readonly administratorAt = (user: UserId, position: number) =>
    (this.roles.at(user, position) ?? roles.guest) <= roles.administrator
  readonly channelsEver = (user: UserId) => this.subscriptions.channelsEver(user)

  /** Applies the next row of the log. If that throws, the position stays before the row. */
  readonly apply = (row: LogRow): void => {
    this.#moves.get(row.type)?.applyToProjection(this, row)
    this.#changedAt.set(row.type, row.position)
    this.#position = row.position
  }
}
