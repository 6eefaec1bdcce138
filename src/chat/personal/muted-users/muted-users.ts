/**
 * POST and DELETE /users/me/muted_users/{muted_user_id}: people whose messages a user does not want to be told of.
 * Muting reads what is unread of them, and what they send from then on is read from the start; unmuting changes nothing
 * about earlier messages. Nobody else learns of it.
 */
import * as Effect from "effect/Effect"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, noSuchUser } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { change, judgementOf, refused } from "../../../events/command.ts"
import { UserId } from "../../../ids.ts"
import { Bulk, begin } from "../../ground/bulk/bulk.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { mutedUsers } from "../../sending/messages/muted-user-index.ts"
import { mostMutedUsers, mutedUsersRow } from "./muted-users-event.ts"
import { readMutedMessages } from "./read-muted-messages.ts"

const mutedUser = id("muted_user_id", UserId)

const muteUser = userEndpoint({
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id:int}",
  fresh: "onRefusal",
  summary: "Mutes a user, and marks their messages as read.",
  params: { mutedUser },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { mutedUser } }) {
    yield* (yield* Bulk).run(caller.realm, {
      judge: (realm) =>
        judgementOf(requireActor(realm, caller), (actor) => {
          const { id } = actor
          const muted = realm.part(mutedUsers).of(id)
          if (mutedUser === id) return refused(badRequest("Cannot mute self"))
          if (findUser(realm, actor, mutedUser) === undefined) return refused(noSuchUser())
          if (realm.part(mutedUsers).isMuted(id, mutedUser)) return refused(badRequest("User already muted"))
          if (muted.length >= mostMutedUsers)
            return refused(badRequest(`You can mute at most ${mostMutedUsers} users.`))
          const row = mutedUsersRow(id, [...muted, { id: mutedUser, at: realm.now() }])
          return begin([row], readMutedMessages.rest({ user_id: id, muted_id: mutedUser }))
        }),
    })
    return dataReply()
  }),
})

const unmuteUser = userEndpoint({
  method: "DELETE",
  path: "/users/me/muted_users/{muted_user_id:int}",
  fresh: "onRefusal",
  summary: "Takes the muting of a user back.",
  params: { mutedUser },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { mutedUser } }) {
    yield* submitAs(caller, (realm, actor) => {
      if (findUser(realm, actor, mutedUser) === undefined) return refused(noSuchUser())
      if (!realm.part(mutedUsers).isMuted(actor.id, mutedUser)) return refused(badRequest("User is not muted"))
      return change([
        mutedUsersRow(
          actor.id,
          realm
            .part(mutedUsers)
            .of(actor.id)
            .filter((each) => each.id !== mutedUser),
        ),
      ])
    })
    return dataReply()
  }),
})

export const mutedUserEndpoints = [muteUser, unmuteUser]
