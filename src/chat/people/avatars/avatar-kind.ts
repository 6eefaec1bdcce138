/** Another picture of a user as rows: the change itself, and the event that tells everybody of it. */
import * as Schema from "effect/Schema"
import { toRealm, toServers } from "../../../events/audience.ts"
import type { CommandStep } from "../../../events/step.ts"
import { idSchemas } from "../../../ids.ts"
import { givingUp } from "../../ground/faces/face-files.ts"
import { type AvatarOwner, facesFolder } from "../../ground/faces/face-urls.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents } from "../../ground/kinds/event-kind-helpers.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

/** A row that clients do not see. `avatar`: as in the user's record. */
export const userAvatarKind = eventKind({
  type: "user_avatar",
  payload: Schema.Struct({
    user_id: idSchemas.user,
    avatar: Schema.NullOr(Schema.String),
    avatar_version: Schema.Number,
  }),
  // The row of a message that is sent meanwhile names the picture of its sender.
  changesRules: true,
  applyFunction: "apply_user_avatar_v1",
  applyToProjection: (realm, { user_id, avatar, avatar_version }) => {
    const user = realm.users.get(user_id)
    if (user !== undefined) realm.setUser({ ...user, avatar, avatar_version })
  },
  events: {},
  wire: () => noEvents,
})

/** The user with another picture, as records show them. `token`: null: with none. */
export const withAvatar = (realm: Realm, user: UserRecord, token: string | null): AvatarOwner => ({
  id: user.id,
  email: apiEmail(realm, user),
  avatar: token,
  avatar_version: user.avatar_version + 1,
})

/** The steps that give a user this picture, and the files of the one before to those who remove them. */
export const avatarSteps = (realm: Realm, user: UserRecord, token: string | null): ReadonlyArray<CommandStep> => {
  const { email, avatar_version } = withAvatar(realm, user, token)
  return [
    userAvatarKind.change({ user_id: user.id, avatar: token, avatar_version }, toServers),
    realmUserRows.tell({ op: "update", user_id: user.id, avatar_version, email, avatar: token }, toRealm),
    ...givingUp(facesFolder, user.avatar),
  ]
}
