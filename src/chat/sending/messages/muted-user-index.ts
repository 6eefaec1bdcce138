/**
 * The people whom the users of a realm have muted, and by whom each is muted: every send asks which of its receivers
 * have muted the sender. A part of the projection.
 */
import * as Schema from "effect/Schema"
import { emptyUserSet, inSet, type UserSet, withoutUser, withUser } from "../../../events/event.ts"
import { idSchemas, UserId } from "../../../ids.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"

export const MutedUser = Schema.Struct({
  id: idSchemas.user,
  /** When they were muted, in milliseconds since the Unix epoch. */
  at: Schema.Number,
})
export type MutedUser = typeof MutedUser.Type

const nobody: ReadonlyArray<MutedUser> = []

/** Those in both sets. Where one is much smaller, its users are looked up in the other. */
const inBoth = (a: UserSet, b: UserSet): UserSet => {
  const [few, many] = a.length < b.length ? [a, b] : [b, a]
  if (few.length * 20 < many.length) return few.filter((user) => inSet(many, UserId(user)))
  let at = 0
  return few.filter((user) => {
    while (at < many.length && (many[at] ?? 0) < user) at++
    return many[at] === user
  })
}

export class MutedUsers {
  readonly #ofUser = new Map<UserId, ReadonlyArray<MutedUser>>()
  readonly #by = new Map<UserId, UserSet>()

  /** Those whom a user has muted, in the order in which they did. */
  of(user: UserId): ReadonlyArray<MutedUser> {
    return this.#ofUser.get(user) ?? nobody
  }

  /** The lists of all who have muted somebody. */
  lists(): Iterable<[UserId, ReadonlyArray<MutedUser>]> {
    return this.#ofUser
  }

  isMuted(user: UserId, muted: UserId): boolean {
    return inSet(this.#by.get(muted) ?? emptyUserSet, user)
  }

  /** Those of the users who have muted the sender. */
  mutersAmong(users: UserSet, sender: UserId): UserSet {
    const by = this.#by.get(sender)
    return by === undefined ? emptyUserSet : inBoth(by, users)
  }

  set(user: UserId, muted: ReadonlyArray<MutedUser>): void {
    const now = new Set(muted.map(({ id }) => id))
    const before = new Set(this.of(user).map(({ id }) => id))
    for (const id of before) if (!now.has(id)) this.#change(id, withoutUser(this.#by.get(id) ?? emptyUserSet, user))
    for (const id of now) if (!before.has(id)) this.#change(id, withUser(this.#by.get(id) ?? emptyUserSet, user))
    if (muted.length === 0) this.#ofUser.delete(user)
    else this.#ofUser.set(user, muted)
  }

  #change(muted: UserId, by: UserSet): void {
    if (by.length === 0) this.#by.delete(muted)
    else this.#by.set(muted, by)
  }
}

export const mutedUsers = projectionPart({
  name: "muted_users",
  load: "load_muted_users_v1",
  /** [user, whom they have muted] */
  stored: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Array(MutedUser)])),
  empty: () => new MutedUsers(),
  fill: (muted, stored) => {
    for (const [user, theirs] of stored) muted.set(user, theirs)
  },
  plain: (muted) => {
    const lists = [...muted.lists()].sort(([a], [b]) => a - b)
    return lists.map(([user, list]) => [user, list, list.map(({ id }) => muted.isMuted(user, id))])
  },
})
