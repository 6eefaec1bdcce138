/** GET /users, /users/me and /users/{id or address}: users as the requester may see them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, eitherEndpoint, requesterKind, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { noSuchUser } from "../../../api/errors.ts"
import { boolean, id, json, optional, text, withDefault } from "../../../api/params.ts"
import { integer, list } from "../../../api/shapes.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { findStored } from "../../ground/kinds/section-store.ts"
import { ProfileData, profileValues } from "../../ground/profiles/profile-values.ts"
import { knowing } from "../../ground/realm/acquaintance/acquaintance.ts"
import { findPersonFor, findUserByAddress } from "../../ground/realm/acquaintance/find-user.ts"
import { maySeeAddress, type Viewer } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { isSystemBot } from "../../ground/realm/system-bots.ts"
import { requireAccount, requireReader } from "../../ground/requester/requester.ts"
import { personWith, requesterWith, spectatedWith, wireUser } from "../../ground/wire/wire-person.ts"
import { Address, Id } from "../../ground/wire/wire-values.ts"
import { messageSection } from "../../sending/messages/message-sections.ts"

export interface MemberOptions {
  readonly gravatar: boolean
  readonly profileData: boolean
}

const profilesOf = (realm: Realm) => realm.part(profileValues)

/** A user record with `is_active`. Bots have no profile data, and visitors without an account see none. */
export const wireMember = (
  realm: Realm,
  user: UserRecord,
  viewer: Viewer,
  { gravatar, profileData }: MemberOptions,
): JsonObject => ({
  is_active: isSystemBot(user) || realm.isActive(user.id),
  ...wireUser(realm, user, viewer, gravatar),
  ...(isSystemBot(user) ? { is_system_bot: true } : {}),
  ...(profileData && !user.is_bot && viewer !== null ? { profile_data: profilesOf(realm).of(user.id) } : {}),
})

/** By what the viewer sees of the record, and whether it is active. */
const texts = new WeakMap<UserRecord, Map<string, string>>()

/** The record without profile data, as JSON. Kept as long as the record: to write ten thousand anew for each list takes 50 ms. */
const recordText = (realm: Realm, user: UserRecord, viewer: Viewer, gravatar: boolean): string => {
  const way = `${viewer === null ? "visitor" : maySeeAddress(viewer, user)} ${realm.isActive(user.id)} ${gravatar && realm.usesGravatar}`
  const known = texts.get(user) ?? new Map<string, string>()
  texts.set(user, known)
  const text = known.get(way) ?? JSON.stringify(wireMember(realm, user, viewer, { gravatar, profileData: false }))
  known.set(way, text)
  return text
}

/** By what somebody has in profile fields, which is the same object until it changes. */
const profileTexts = new WeakMap<ProfileData, string>()

const profileText = (realm: Realm, user: UserRecord): string => {
  const profile = profilesOf(realm).of(user.id)
  const text = profileTexts.get(profile) ?? JSON.stringify(profile)
  profileTexts.set(profile, text)
  return text
}

/** What `wireMember` makes, as JSON. Profile data, which come last, change without the record. */
const memberText = (
  realm: Realm,
  user: UserRecord,
  viewer: Viewer,
  { gravatar, profileData }: MemberOptions,
): string => {
  const text = recordText(realm, user, viewer, gravatar)
  if (!profileData || user.is_bot || viewer === null) return text
  return `${text.slice(0, -1)},"profile_data":${profileText(realm, user)}}`
}

const isActive = { is_active: Schema.Boolean }
const Member = personWith(
  { ...isActive, profile_data: Schema.optionalKey(ProfileData) },
  { ...isActive, is_system_bot: Schema.optionalKey(Schema.Literal(true)) },
)
const SpectatedMember = spectatedWith(isActive, isActive)

/** `max_message_id`: the newest message that the requester holds; -1 where there is none. */
const own = { is_active: Schema.Literal(true), max_message_id: Schema.Union([Id, Schema.Literal(-1)]) }
const OwnMember = requesterWith({ ...own, delivery_email: Address, profile_data: ProfileData }, own)

const shown = {
  gravatar: withDefault(boolean("client_gravatar"), true),
  profileData: withDefault(boolean("include_custom_profile_fields"), false),
}

/** About how many bytes a record has. */
const memberBytes = 450

export const getUsers = eitherEndpoint({
  method: "GET",
  path: "/users",
  summary: "Everybody in the organization, bots and deactivated people too.",
  params: { ...shown, userIds: optional(json("user_ids", list(integer))) },
  reply: Schema.Struct({ members: Schema.Union([Schema.Array(Member), Schema.Array(SpectatedMember)]) }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { params: { userIds, ...options } }) {
    const { realm } = yield* requireReader(who)
    const asked = userIds === undefined ? null : new Set(userIds)
    // When there is room for the answer: what they may see may have changed meanwhile.
    const members = Effect.gen(function* () {
      const { user: viewer } = yield* requireReader(who)
      const knows = knowing(realm, viewer)
      const users = [...realm.users.values()].filter((user) => (asked === null || asked.has(user.id)) && knows(user))
      const write = (user: UserRecord) => memberText(realm, user, viewer, options)
      return [yield* listInPieces("members", users, write)]
    })
    const count = asked === null ? realm.users.size : asked.size
    const profiles = options.profileData ? (profilesOf(realm).characters * count) / Math.max(realm.users.size, 1) : 0
    const bytes = Math.ceil(count * memberBytes + profiles)
    return yield* (yield* LargeAnswers).answer(requesterName(who), bytes, members, requesterKind(who))
  }),
})

const oneUser = Schema.Struct({ user: Member })

export const getUser = userEndpoint({
  method: "GET",
  path: "/users/{user_id:int}",
  summary: "A user by id, a deactivated one and a bot of the program too.",
  params: { userId: id("user_id", UserId), ...shown },
  reply: oneUser,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { userId, ...options } }) {
    const { realm, user: viewer } = yield* requireAccount(caller)
    const user = findPersonFor(realm, viewer, userId)
    return user === undefined ? yield* noSuchUser() : dataReply({ user: wireMember(realm, user, viewer, options) })
  }),
})

export const getUserByEmail = userEndpoint({
  method: "GET",
  path: "/users/{email}",
  summary: "A user by an address that the requester may know, or by the placeholder that anybody has.",
  params: { email: text("email"), ...shown },
  reply: oneUser,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { email, ...options } }) {
    const { realm, user: viewer } = yield* requireAccount(caller)
    const user = findUserByAddress(realm, viewer, email.trim())
    return user === undefined ? yield* noSuchUser() : dataReply({ user: wireMember(realm, user, viewer, options) })
  }),
})

export const getOwnUser = userEndpoint({
  method: "GET",
  path: "/users/me",
  summary: "The requester.",
  params: {},
  reply: OwnMember,
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const newest = messageSection.read(yield* findStored(messageSection, caller.realm, caller.user))
    const { realm, user } = yield* requireAccount(caller)
    const { bot_type, ...own } = wireMember(realm, user, user, { gravatar: false, profileData: true })
    return dataReply({ ...own, ...(user.is_bot ? { bot_type } : {}), ...newest })
  }),
})
