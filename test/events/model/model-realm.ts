/**
 * The projection of the model's realm: the program's own spans, moved forward row by row. A process that starts builds
 * it anew from all rows, as a server does from its tables.
 */

import { type Role, roleNumbers, roles } from "../../../src/chat/ground/realm/domain-values.ts"
import { RoleSpans } from "../../../src/chat/ground/realm/role-spans.ts"
import { SubscriptionSpans } from "../../../src/chat/ground/realm/subscription-spans.ts"
import type { PrivacyAtRow } from "../../../src/events/audience.ts"
import type { LogRow, UserSet } from "../../../src/events/event.ts"
import type { FedProjection } from "../../../src/events/feed.ts"
import { ChannelId, UserId } from "../../../src/ids.ts"
import type { Journal, State } from "./journal.ts"
import { numberAt } from "./model-events.ts"

const roleAt = (row: LogRow): Role | null => {
  const found = roleNumbers.find((role) => role === row.payload["role"])
  return found ?? null
}

export class ModelRealm implements FedProjection {
  position = 0
  /** All channels but the secret one. */
  readonly #channels: ReadonlyArray<ChannelId>
  readonly subscriptions = new SubscriptionSpans()
  readonly roles = new RoleSpans()
  #count = 0

  constructor({ founding, entries }: Journal) {
    this.#channels = founding.channels.filter((channel) => channel !== founding.secret)
    for (const [user, role] of founding.roles) this.roles.add(user, role, { opened: 0, closed: null })
    for (const [channel, user] of founding.subscribers)
      this.subscriptions.add(channel, user, { opened: 0, closed: null })
    for (const { row } of entries) this.apply(row)
  }

  apply(row: LogRow): void {
    const { type, payload, position } = row
    this.position = position
    if (type === "count") this.#count += numberAt(payload, "by")
    if (type === "role") {
      const user = UserId(numberAt(payload, "user"))
      const role = roleAt(row)
      this.roles.close(user, position)
      if (role !== null) this.roles.add(user, role, { opened: position, closed: null })
    }
    if (type === "subscription" || type === "secret") {
      const user = UserId(numberAt(payload, "user"))
      const channel = ChannelId(numberAt(payload, "channel"))
      if (payload["op"] === "add") this.subscriptions.add(channel, user, { opened: position, closed: null })
      else this.subscriptions.close(channel, user, position)
    }
  }

  /** The state that a register answers. */
  state(): State {
    const state: State = new Map([["count", this.#count]])
    for (const channel of this.#channels)
      for (const user of this.subscriptions.subscribers(channel)) state.set(`subscription:${channel}:${user}`, 1)
    return state
  }

  subscribers(channel: ChannelId): UserSet {
    return this.subscriptions.subscribers(channel)
  }
  subscribedAt(channel: ChannelId, user: UserId, position: number): boolean {
    return this.subscriptions.subscribedAt(channel, user, position)
  }
  heldBetween(channel: ChannelId, user: UserId, since: number, through: number): boolean {
    return this.subscriptions.heldBetween(channel, user, since, through)
  }
  holders(channel: ChannelId, since: number, through: number, was: PrivacyAtRow): UserSet {
    return this.subscriptions.holders(channel, since, through, was)
  }
  keeps(): boolean {
    return false
  }
  keepers(): ReadonlyArray<UserId> {
    return []
  }
  activeAt(user: UserId, position: number): boolean {
    return this.roles.at(user, position) !== undefined
  }
  memberAt(user: UserId, position: number): boolean {
    const role = this.roles.at(user, position)
    return role !== undefined && role < roles.guest
  }
  administratorAt(user: UserId, position: number): boolean {
    const role = this.roles.at(user, position)
    return role !== undefined && role <= roles.administrator
  }
  channelsEver(user: UserId): Iterable<ChannelId> {
    return this.subscriptions.channelsEver(user)
  }
}
