/** The people whom a user has muted, as rows and as events, and their section of register. */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { section } from "../../ground/kinds/section.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { Id, plainEvent, Seconds } from "../../ground/wire/wire-values.ts"
import { MutedUser, mutedUsers } from "../../sending/messages/muted-user-index.ts"

/** The most people whom a user mutes: each change carries all of them. */
export const mostMutedUsers = 1000

const type = "muted_users"
const keys = {
  [type]: Schema.Array(Schema.Struct({ id: Id, timestamp: Seconds })).check(Schema.isMaxLength(mostMutedUsers)),
}

const show = (muted: ReadonlyArray<MutedUser>) => ({
  [type]: muted.map(({ id, at }) => ({ id, timestamp: unixSeconds(at) })),
})

/** Sends are judged by these rows: who has muted their sender has read them. */
export const mutedUsersKind = eventKind({
  type,
  payload: Schema.Struct({
    user_id: idSchemas.user,
    muted: Schema.Array(MutedUser),
  }),
  changesRules: true,
  applyFunction: "apply_muted_users_v1",
  applyToProjection: (realm, { user_id, muted }) => realm.part(mutedUsers).set(user_id, muted),
  sections: [type],
  events: { "": plainEvent(type, keys) },
  wire: ({ muted }) => oneEvent({ type, ...show(muted) }),
})

/** The row after which a user has muted these people and nobody else. */
export const mutedUsersRow = (user: UserId, muted: ReadonlyArray<MutedUser>) =>
  mutedUsersKind.change({ user_id: user, muted }, toUsers([user]))

export const mutedUsersSection = section(type, keys, ({ realm, user }) =>
  show(user === null ? [] : realm.part(mutedUsers).of(user.id)),
)
