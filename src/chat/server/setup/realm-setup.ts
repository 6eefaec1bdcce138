/**
 * Commands by which the server itself fills a new organization. No permissions are checked, because no user asks; all
 * other rules apply. Used by the demo seed and the test kit.
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { type Command, change, done } from "../../../events/command.ts"
import type { ChannelId, RealmId, UserId } from "../../../ids.ts"
import { type NewChannel, newChannel, renderDescription } from "../../channels/channels/new-channel.ts"
import { addRows, createRow } from "../../channels/subscriptions/subscription-steps.ts"
import { meetingRows } from "../../ground/permissions/acquaintance-rows.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
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
