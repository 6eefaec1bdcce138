/**
 * Commands by which the server itself fills a new organization. No permissions are checked, because no user asks; all
 * other rules apply. Used by the demo seed and the test kit.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Clock } from "../../../clock.ts"
import { type Command, change, done, judgementOf } from "../../../events/command.ts"
import type { ChannelId, RealmId, UserId } from "../../../ids.ts"
import { type NewChannel, newChannel, renderDescription } from "../../channels/channels/new-channel.ts"
import { addRows, createRow } from "../../channels/subscriptions/subscription-steps.ts"
import { faceFiles, newToken } from "../../ground/faces/face-files.ts"
import { storeWithRow } from "../../ground/files/store-with-row.ts"
import { meetingRows } from "../../ground/permissions/acquaintance-rows.ts"
import { type FieldType, type ProfileField, profileFields } from "../../ground/profiles/profile-fields.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { makeField, requireFit, type StatedField } from "../../organization/profile-fields/field-record.ts"
import { profileFieldRow } from "../../organization/profile-fields/profile-field-event.ts"
import { avatarSteps } from "../../people/avatars/avatar-kind.ts"
import { planProfile } from "../../people/profile-data/profile-data.ts"
import type { ProfileInput } from "../../people/profile-data/profile-value.ts"
import { judgeNewUser, type NewUser } from "../../people/users/new-user.ts"

/** Makes the user, unless the address is taken; answers the id of the user who has it. */
export const setUpUser = Effect.fnUntraced(function* (id: RealmId, user: NewUser) {
  const realms = yield* Realms
  const clock = yield* Clock
  const command: Command<Realm, UserId> = {
    judge: (realm) => {
      const known = realm.findUserByEmail(user.email)
      return known === undefined ? judgeNewUser(realm, user, clock.now()) : done(known.id)
    },
  }
  return yield* realms.submit(id, command)
})

/** Gives the user a picture, unless they have one. */
export const setUpAvatar = Effect.fnUntraced(function* (
  id: RealmId,
  user: UserId,
  pictures: readonly [small: Uint8Array, medium: Uint8Array],
) {
  const realms = yield* Realms
  const { realm } = yield* realms.get(id)
  if (realm.users.get(user)?.avatar !== null) return
  const token = newToken()
  const [small, medium] = faceFiles(id, token)
  const files = [
    { name: small, bytes: pictures[0] },
    { name: medium, bytes: pictures[1] },
  ]
  const command: Command<Realm, void> = {
    judge: (now) => {
      const known = now.users.get(user)
      return known === undefined ? done(undefined) : change(avatarSteps(now, known, token))
    },
  }
  yield* storeWithRow(files, realms.submit(id, command))
})

/** Makes the channel, unless the name is taken, and subscribes the given users who are not subscribed yet. */
export const setUpChannel = Effect.fnUntraced(function* (
  realmId: RealmId,
  fields: NewChannel,
  users: ReadonlyArray<UserId>,
  creator: UserId | null = null,
) {
  const realms = yield* Realms
  const clock = yield* Clock
  const command: Command<Realm, ChannelId> = {
    judge: (realm) => {
      const known = realm.findChannelByName(fields.name)
      const channel = known ?? {
        ...newChannel(realm.nextChannelId(), fields, creator, clock.now()),
        rendered_description: renderDescription(realm, fields.description),
      }
      const id = channel.id
      const people = users
        .filter((user) => !realm.subscriptions.isSubscribed(id, user))
        .map((user) => realm.users.get(user))
        .filter((user) => user !== undefined)
      const creates = known === undefined ? [createRow(realm, channel, people)] : []
      const adds =
        people.length === 0 ? [] : addRows(realm, channel, people, { isNew: known === undefined, given: new Map() })
      const met = meetingRows(realm, [{ channel: id, users: people }])
      return creates.length + adds.length === 0 ? done(id) : change([...met, ...creates, ...adds], { answer: () => id })
    },
  }
  return yield* realms.submit(realmId, command)
})

export interface NewField {
  readonly type: FieldType
  readonly stated: StatedField
}

/** Makes the profile fields, in this order, where the organization has none yet. */
export const setUpProfileFields = Effect.fnUntraced(function* (id: RealmId, fields: ReadonlyArray<NewField>) {
  const realms = yield* Realms
  const command: Command<Realm, void> = {
    judge: (realm) => {
      const { list } = realm.part(profileFields)
      if (list.fields.length > 0) return done(undefined)
      const made = Result.gen(function* () {
        const all: Array<ProfileField> = []
        for (const { type, stated } of fields) all.push(yield* makeField(all.length + 1, type, stated))
        return yield* requireFit(list, all)
      })
      return judgementOf(made, (list) => change([profileFieldRow(list)]))
    },
  }
  yield* realms.submit(id, command)
})

/** Gives people values, as [address, name of the field, value]; who is not there is left out, and so is what they have already. */
export const setUpProfiles = Effect.fnUntraced(function* (
  id: RealmId,
  values: ReadonlyArray<readonly [email: string, field: string, value: ProfileInput]>,
) {
  const realms = yield* Realms
  const command: Command<Realm, void> = {
    judge: (realm) => {
      const { fields } = realm.part(profileFields).list
      const plans = values.flatMap(([email, name, value]) => {
        const user = realm.findUserByEmail(email)
        const field = fields.find((each) => each.name === name)
        return user === undefined || field === undefined
          ? []
          : [planProfile(realm, "server", user, [{ id: field.id, value }])]
      })
      return judgementOf(Result.all(plans), (rows) =>
        rows.flat().length === 0 ? done(undefined) : change(rows.flat()),
      )
    },
  }
  yield* realms.submit(id, command)
})
