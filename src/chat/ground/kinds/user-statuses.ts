/**
 * The statuses of people: a text, an emoji, and whether they are away. A part of the projection. Those who have one are
 * in the list that register answers, as text, so it is not written anew for each register.
 */
import * as Schema from "effect/Schema"
import { idSchemas, type UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { JsonItem } from "../../../json-pieces.ts"
import { reactionTypes } from "../realm/domain-values.ts"
import { projectionPart } from "../realm/projection-part.ts"
import { SharedList } from "./shared-list.ts"

export const StatusEmoji = Schema.Struct({
  emoji_name: Schema.NonEmptyString,
  emoji_code: Schema.NonEmptyString,
  reaction_type: Schema.Literals(reactionTypes),
})
export type StatusEmoji = typeof StatusEmoji.Type

export interface UserStatus {
  /** Follows their setting `presence_enabled`. */
  readonly away: boolean
  /** Empty: none. */
  readonly status_text: string
  readonly emoji: StatusEmoji | null
}

const noStatus: UserStatus = { away: false, status_text: "", emoji: null }

/** A status as clients read it: only what there is of it. */
export const wireStatus = ({ away, status_text, emoji }: UserStatus): JsonObject => ({
  ...(away ? { away } : {}),
  ...(status_text === "" ? {} : { status_text }),
  ...emoji,
})

/** The member of the section: made when it is first sent. */
class StatusText implements JsonItem {
  readonly #user: UserId
  readonly #status: UserStatus

  constructor(user: UserId, status: UserStatus) {
    this.#user = user
    this.#status = status
  }

  get text(): string {
    return `"${this.#user}":${JSON.stringify(wireStatus(this.#status))}`
  }
}

/** Ids of the largest block that registers share. */
const largestBlock = 256

export class UserStatuses {
  readonly #byUser = new Map<UserId, UserStatus>()
  /** Members of the section, by the ids of their users. */
  readonly list = new SharedList<StatusText>(largestBlock, [])

  get size(): number {
    return this.#byUser.size
  }

  of(user: UserId): UserStatus {
    return this.#byUser.get(user) ?? noStatus
  }

  entries(): Iterable<[UserId, UserStatus]> {
    return this.#byUser
  }

  /** Changes what is passed. */
  set(user: UserId, changes: Partial<UserStatus>): void {
    const status = { ...this.of(user), ...changes }
    const isNone = !status.away && status.status_text === "" && status.emoji === null
    if (isNone) this.#byUser.delete(user)
    else this.#byUser.set(user, status)
    this.list.set(user, isNone ? undefined : new StatusText(user, status))
  }
}

export const userStatuses = projectionPart({
  name: "user_status",
  load: "load_user_status_v2",
  stored: Schema.Struct({
    /** [user, whether they are away, text, emoji] */
    statuses: Schema.Array(Schema.Tuple([idSchemas.user, Schema.Boolean, Schema.String, Schema.NullOr(StatusEmoji)])),
    /** The last user that was looked at; null: there are no more. */
    last: Schema.NullOr(idSchemas.user),
  }),
  pageKey: ({ last }) => (last === null ? null : [last]),
  empty: () => new UserStatuses(),
  fill: (all, { statuses }) => {
    for (const [user, away, status_text, emoji] of statuses) all.set(user, { away, status_text, emoji })
  },
  plain: (statuses) => {
    const all = [...statuses.entries()].sort(([a], [b]) => a - b)
    return all.map(([user, status]) => [user, status, statuses.list.item(user)?.text])
  },
})
