/**
 * An organization in memory: what hot paths ask about people, channels and groups. It is a projection, loaded at a
 * position and then moved by every row of the log, whatever the row's audience; moved forward it equals one freshly
 * loaded (I12). Only the feed moves it; everybody else reads.
 */
import type { ChannelThen, LogRow, Membership } from "../events/event.ts"
import type { Projection } from "../events/feed.ts"
import { ChannelId, GroupId, type RealmId, UserId } from "../ids.ts"
import { type RealmSettings, withRealmSetting } from "./realm-settings.ts"
import {
  type ChannelRecord,
  type GroupRecord,
  readAccountState,
  readApiKey,
  readRealm,
  readRealmUser,
  readStream,
  readSubscription,
  readUserSettings,
  type UserRecord,
} from "./records.ts"
import { RoleSpans, SubscriptionSpans } from "./spans.ts"
import { withUserSetting } from "./user-settings.ts"
import { fold, type Role, roles } from "./values.ts"

export class Realm implements Projection, Membership {
  readonly id: RealmId
  readonly host: string
  readonly epoch: string
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  readonly users = new Map<UserId, UserRecord>()
  readonly channels = new Map<ChannelId, ChannelRecord>()
  readonly groups = new Map<GroupId, GroupRecord>()
  readonly roles = new RoleSpans()
  readonly subscriptions = new SubscriptionSpans()
  readonly #byEmail = new Map<string, UserId>()
  readonly #byName = new Map<string, ChannelId>()
  #settings: RealmSettings
  #isDeactivated = false
  readonly #changedAt = new Map<string, number>()
  #position: number

  constructor(id: RealmId, host: string, epoch: string, settings: RealmSettings, position: number, createdAt: number) {
    this.id = id
    this.host = host
    this.epoch = epoch
    this.createdAt = createdAt
    this.#settings = settings
    this.#position = position
  }

  /** A new object after every change of one of them. */
  get settings(): RealmSettings {
    return this.#settings
  }

  /** Nobody signs in, and nobody stays connected. */
  get isDeactivated(): boolean {
    return this.#isDeactivated
  }

  get position(): number {
    return this.#position
  }

  /** The newest row of these types that the projection has moved over since it was loaded; 0: none. */
  changedAt(types: ReadonlyArray<string>): number {
    return Math.max(...types.map((type) => this.#changedAt.get(type) ?? 0))
  }

  findUserByEmail(email: string): UserRecord | undefined {
    const id = this.#byEmail.get(fold(email))
    return id === undefined ? undefined : this.users.get(id)
  }

  findChannelByName(name: string): ChannelRecord | undefined {
    const id = this.#byName.get(fold(name))
    return id === undefined ? undefined : this.channels.get(id)
  }

  isActive(user: UserId): boolean {
    return this.roles.last(user)?.closed === null
  }

  /** Ids are given in order, and nothing is ever removed, so the next one is the count plus one. */
  nextUserId(): UserId {
    return UserId(this.users.size + 1)
  }
  nextChannelId(): ChannelId {
    return ChannelId(this.channels.size + 1)
  }

  setDeactivated(deactivated: boolean): void {
    this.#isDeactivated = deactivated
  }

  /** A record is never changed but replaced: who holds one knows by that whether it still stands. */
  setUser(user: UserRecord): void {
    const known = this.users.get(UserId(user.id))
    if (known !== undefined) this.#byEmail.delete(fold(known.email))
    this.users.set(UserId(user.id), user)
    this.#byEmail.set(fold(user.email), UserId(user.id))
  }

  setChannel(channel: ChannelRecord): void {
    const known = this.channels.get(ChannelId(channel.id))
    if (known !== undefined) this.#byName.delete(fold(known.name))
    this.channels.set(ChannelId(channel.id), channel)
    this.#byName.set(fold(channel.name), ChannelId(channel.id))
  }

  setGroup(group: GroupRecord): void {
    this.groups.set(GroupId(group.id), group)
  }

  // Membership, as the log asks it.
  readonly subscribers = (channel: ChannelId) => this.subscriptions.subscribers(channel)
  readonly subscribedAt = (channel: ChannelId, user: UserId, position: number) =>
    this.subscriptions.subscribedAt(channel, user, position)
  readonly activeAt = (user: UserId, position: number) => this.roles.at(user, position) !== undefined
  readonly memberAt = (user: UserId, position: number) => (this.roles.at(user, position) ?? roles.guest) < roles.guest
  readonly administratorAt = (user: UserId, position: number) =>
    (this.roles.at(user, position) ?? roles.guest) <= roles.administrator
  readonly channelsEver = (user: UserId) => this.subscriptions.channelsEver(user)

  /** Moves the projection over the next row. */
  readonly apply = (row: LogRow): void => {
    this.#position = row.position
    this.#changedAt.set(row.type, row.position)
    switch (row.type) {
      case "stream":
        return this.#applyStream(row)
      case "subscription":
        return this.#applySubscription(row)
      case "realm_user":
        return this.#applyRealmUser(row)
      case "user_settings": {
        const { user_id, property, value } = readUserSettings(row.payload)
        return this.#change(user_id, (user) => ({ settings: withUserSetting(user.settings, property, value) }))
      }
      case "account_state": {
        const { user_id, must_reset } = readAccountState(row.payload)
        return this.#change(user_id, () => ({ must_reset_password: must_reset }))
      }
      case "api_key": {
        const { user_id, key_version } = readApiKey(row.payload)
        return this.#change(user_id, () => ({ key_version }))
      }
      case "realm":
        return this.#applyRealm(row)
    }
  }

  #applyRealm(row: LogRow): void {
    const payload = readRealm(row.payload)
    if (payload.op === "update") this.#settings = withRealmSetting(this.#settings, payload.key, payload.value)
    else this.#isDeactivated = payload.op === "deactivated"
  }

  #change(id: number, changes: (user: UserRecord) => Partial<UserRecord>): void {
    const user = this.users.get(UserId(id))
    if (user !== undefined) this.setUser({ ...user, ...changes(user) })
  }

  #applyStream(row: LogRow): void {
    const payload = readStream(row.payload)
    if (payload.op === "create") {
      const known = this.channels.has(ChannelId(payload.channel.id))
      // Also sent to a user who comes to see an old channel: there is nothing new to it then.
      if (!known) this.setChannel(payload.channel)
    } else if (payload.op === "update") {
      const known = this.channels.get(ChannelId(payload.channel_id))
      if (known !== undefined) this.setChannel({ ...known, [payload.property]: payload.value })
    }
  }

  #applySubscription(row: LogRow): void {
    const payload = readSubscription(row.payload)
    if (payload.op === "add") {
      const channel = ChannelId(payload.channel.id)
      for (const { user_id, settings } of payload.added) {
        this.subscriptions.add(channel, UserId(user_id), { opened: row.position, closed: null })
        this.subscriptions.setSettings(UserId(user_id), channel, settings)
      }
    } else if (payload.op === "remove") {
      for (const user of payload.user_ids) {
        this.subscriptions.close(ChannelId(payload.channel_id), UserId(user), row.position)
      }
    }
  }

  #applyRealmUser(row: LogRow): void {
    const payload = readRealmUser(row.payload)
    if (payload.op === "add") {
      this.setUser(payload.user)
      this.roles.add(UserId(payload.user.id), payload.user.role, { opened: row.position, closed: null })
      return
    }
    if ("role" in payload) return this.#changeRole(UserId(payload.user_id), payload.role, row.position)
    if (!("is_active" in payload)) return
    const user = UserId(payload.user_id)
    if (payload.is_active) {
      const role = this.roles.last(user)?.role
      if (role !== undefined) this.roles.add(user, role, { opened: row.position, closed: null })
      for (const channel of payload.channel_ids) {
        this.subscriptions.add(ChannelId(channel), user, { opened: row.position, closed: null })
      }
      return
    }
    this.roles.close(user, row.position)
    for (const channel of this.subscriptions.channelsEver(user)) {
      if (this.subscriptions.isSubscribed(channel, user)) this.subscriptions.close(channel, user, row.position)
    }
  }

  /** A deactivated user's new role is a span of no length: it is what they will come back with. */
  #changeRole(user: UserId, role: Role, position: number): void {
    const closed = this.isActive(user) ? null : position
    this.roles.close(user, position)
    this.roles.add(user, role, { opened: position, closed })
    this.#change(user, () => ({ role }))
  }
}

/** What a row about a channel records of it. */
export const channelThen = (channel: ChannelRecord): ChannelThen => ({
  isPrivate: channel.is_private,
  isWebPublic: channel.is_web_public,
  historyShared: channel.history_shared,
})
