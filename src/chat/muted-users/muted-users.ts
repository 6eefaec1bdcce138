/**
 * POST and DELETE /users/me/muted_users/{muted_user_id}: people whose messages a user does not want to be told of
 * (contract 3.9). Muting reads what is unread of them, and what they send from then on is read from the start; unmuting
 * changes nothing about earlier messages. Nobody else learns of it.
 */
import * as Effect from "effect/Effect"
import { data, nothing, userEndpoint } from "../../endpoint.ts"
import { badRequest, noSuchUser } from "../../errors.ts"
import { change, done, refused } from "../../events/command.ts"
import { UserId } from "../../ids.ts"
import { id } from "../../params.ts"
import { readAllOf } from "../flags/mark-read.ts"
import { submitAs } from "../requester/submit.ts"
import { mostMutedUsers, mutedUsersRow } from "./muted-users-event.ts"

const mutedUser = id("muted_user_id", UserId)

const muteUser = userEndpoint({
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id:int}",
  summary: "Mutes a user, and marks their messages as read.",
  params: { mutedUser },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { mutedUser }) {
    const isNew = yield* submitAs(caller, (realm, actor) => {
      const muted = realm.mutedUsers.of(actor.id)
      if (mutedUser === actor.id) return refused(badRequest("Cannot mute self"))
      if (!realm.users.has(mutedUser)) return refused(noSuchUser())
      if (realm.mutedUsers.isMuted(actor.id, mutedUser)) return done(false)
      if (muted.length >= mostMutedUsers) return refused(badRequest(`You can mute at most ${mostMutedUsers} users.`))
      const row = mutedUsersRow(actor.id, [...muted, { id: mutedUser, at: realm.now() }])
      return change([row], { answer: () => true })
    })
    // Who repeats a request that was interrupted after the muting finishes it by this.
    yield* readAllOf(caller, mutedUser)
    return isNew ? data() : yield* badRequest("User already muted")
  }),
})

const unmuteUser = userEndpoint({
  method: "DELETE",
  path: "/users/me/muted_users/{muted_user_id:int}",
  summary: "Takes the muting of a user back.",
  params: { mutedUser },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { mutedUser }) {
    yield* submitAs(caller, (realm, actor) => {
      if (!realm.users.has(mutedUser)) return refused(noSuchUser())
      if (!realm.mutedUsers.isMuted(actor.id, mutedUser)) return refused(badRequest("User is not muted"))
      return change([
        mutedUsersRow(
          actor.id,
          realm.mutedUsers.of(actor.id).filter((each) => each.id !== mutedUser),
        ),
      ])
    })
    return data()
  }),
})

export const mutedUserEndpoints = [muteUser, unmuteUser]
