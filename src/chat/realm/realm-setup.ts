/**
 * Commands that act for the server itself, not for a user: they fill a new organization. The demo seed and the test kit
 * use them; rules of who may do what do not apply, all others do.
 */
import * as Effect from "effect/Effect"
import { Clock } from "../../clock.ts"
import { type Command, call, done } from "../../events/command.ts"
import { ChannelId, type RealmId, UserId } from "../../ids.ts"
import { type NewChannel, newChannel } from "../channels/new-channel.ts"
import { addStep, createRow } from "../subscriptions/subscription-steps.ts"
import { judgeNewUser, type NewUser } from "../users/users.ts"
import type { Realm } from "./realm.ts"
import { Realms } from "./realms.ts"

/** Makes the user unless the address is taken; answers who has it. */
export const setUpUser = Effect.fnUntraced(function* (id: RealmId, user: NewUser) {
  const realms = yield* Realms
  const clock = yield* Clock
  let made = UserId(0)
  const command: Command<Realm, UserId> = {
    judge: (realm) => {
      const known = realm.findUserByEmail(user.email)
      if (known !== undefined) return done(UserId(known.id))
      made = realm.nextUserId()
      return judgeNewUser(realm, user, clock.now())
    },
    read: () => ({ _tag: "Done", answer: made }),
  }
  return yield* realms.submit(id, command)
})

/** Makes the channel unless the name is taken, and subscribes those of the users who are not in it. */
export const setUpChannel = Effect.fnUntraced(function* (
  id: RealmId,
  fields: NewChannel,
  users: ReadonlyArray<UserId>,
  creator: UserId | null = null,
) {
  const realms = yield* Realms
  const clock = yield* Clock
  let made = ChannelId(0)
  const command: Command<Realm, ChannelId> = {
    judge: (realm) => {
      const known = realm.findChannelByName(fields.name)
      const channel = known ?? newChannel(realm.nextChannelId(), fields, creator, clock.now())
      made = ChannelId(channel.id)
      const people = users
        .filter((user) => !realm.subscriptions.isSubscribed(made, user))
        .map((user) => realm.users.get(user))
        .filter((user) => user !== undefined)
      const creates = known === undefined ? [createRow(realm, channel, people)] : []
      const adds =
        people.length === 0 ? [] : [addStep(realm, channel, people, { isNew: known === undefined, given: new Map() })]
      return creates.length + adds.length === 0 ? done(made) : call("change_subscriptions_v1", { creates, adds }, true)
    },
    read: () => ({ _tag: "Done", answer: made }),
  }
  return yield* realms.submit(id, command)
})
