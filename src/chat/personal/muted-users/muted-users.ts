/**
 * POST and DELETE /users/me/muted_users/{muted_user_id}: people whose messages a user does not want to be told of
 * (contract 3.9). Muting reads what is unread of them, and what they send from then on is read from the start; unmuting
 * changes nothing about earlier messages. Nobody else learns of it.
 */
import * as Effect from "effect/Effect"
import { data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, noSuchUser, OutcomeUnknown } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { change, done, refused } from "../../../events/command.ts"
import { UserId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { readAllOf } from "../../reading/flags/mark-read.ts"
import { mutedUsers } from "../../sending/messages/muted-users.ts"
import { mostMutedUsers, mutedUsersRow } from "./muted-users-event.ts"

const mutedUser = id("muted_user_id", UserId)

/**
 * Mutings, as `{user} {muted user}`, whose requests have not read all that was unread: whoever repeats such a request
 * finishes it. A restart forgets them, so what is left unread by a crash is marked by hand.
 */
const unreadMutings = new WeakMap<Realm, Set<string>>()
const unreadOf = (realm: Realm): Set<string> => {
  const unread = unreadMutings.get(realm) ?? new Set<string>()
  unreadMutings.set(realm, unread)
  return unread
}

/** The muting is committed, so the answer must not be 503, which says that nothing was done. */
const isRepeated = new OutcomeUnknown({ reason: "what is unread of a muted user is read when the request is repeated" })

const muteUser = userEndpoint({
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id:int}",
  summary: "Mutes a user, and marks their messages as read.",
  params: { mutedUser },
  reply: nothing,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { mutedUser }) {
    const { realm } = yield* (yield* Realms).get(caller.realm)
    const unread = unreadOf(realm)
    const key = `${caller.user} ${mutedUser}`
    // Before the commit, of which it may stay unknown whether it was made. Nobody asks about who is not muted.
    if (!realm.part(mutedUsers).isMuted(caller.user, mutedUser)) unread.add(key)
    const muting = submitAs(caller, (realm, actor) => {
      const muted = realm.part(mutedUsers).of(actor.id)
      if (mutedUser === actor.id) return refused(badRequest("Cannot mute self"))
      if (!realm.users.has(mutedUser)) return refused(noSuchUser())
      if (realm.part(mutedUsers).isMuted(actor.id, mutedUser))
        return unread.has(key) ? done(undefined) : refused(badRequest("User already muted"))
      if (muted.length >= mostMutedUsers) return refused(badRequest(`You can mute at most ${mostMutedUsers} users.`))
      const row = mutedUsersRow(actor.id, [...muted, { id: mutedUser, at: realm.now() }])
      return change([row])
    })
    yield* Effect.tapError(muting, ({ _tag }) =>
      _tag === "ApiError" ? Effect.sync(() => unread.delete(key)) : Effect.void,
    )
    yield* Effect.mapError(readAllOf(caller, mutedUser), () => isRepeated)
    unread.delete(key)
    return data()
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
    return data()
  }),
})

export const mutedUserEndpoints = [muteUser, unmuteUser]
