/**
 * POST /users/{user_id}/reactivate: a deactivated user gets back their role and the subscriptions that they had when
 * they were deactivated. Their old event queues end, because they lack the events of the time in between, so their
 * clients register again. A bot whose owner is gone belongs to whoever takes it back.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { type Checked, noSuchUser } from "../../../api/errors.ts"
import { integer } from "../../../api/params.ts"
import { toRealm } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { peerInAll } from "../../channels/subscriptions/subscription-steps.ts"
import { botSettings, newServiceToken } from "../../ground/bot-settings/bot-settings.ts"
import { endQueuesRow, tellOrEndQueues } from "../../ground/kinds/queue-end-row.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { meetingRows } from "../../ground/permissions/acquaintance-rows.ts"
import { mayDeactivate, mayReadContent, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { withChangedRules } from "../../ground/realm/realm-rules.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { newKeyRow } from "../../ground/sign-in/api-key.ts"
import { allMembershipRows, namingRows } from "../user-groups/membership-rows.ts"
import { giveBot, requireRoom } from "./bot-owner.ts"
import { consentRow } from "./export-consent-event.ts"
import { lesser, ownerOf } from "./roles/roles.ts"

/** The channels whose subscriptions ended when the user was deactivated, sorted by id. */
const channelsLeft = (realm: Realm, user: UserId): ReadonlyArray<ChannelRecord> => {
  const left = realm.roles.leftAt(user)
  return [...realm.subscriptions.channelsEver(user)]
    .filter((channel) => left !== null && realm.subscriptions.leftAt(channel, user) === left)
    .sort((a, b) => a - b)
    .map((channel) => realm.channels.get(channel))
    .filter((channel) => channel !== undefined)
}

/**
 * Whether somebody is subscribed again to a channel that they left by being deactivated. A bot is to a private one only where its
 * owner may read it: they may have been taken out meanwhile.
 */
const mayComeBack = (realm: Realm, user: UserRecord, channel: ChannelRecord): boolean => {
  const owner = user.is_bot ? ownerOf(realm, user) : undefined
  return owner === undefined || !channel.is_private || mayReadContent(realm, owner, channel)
}

interface AdoptedBot {
  /** The record that comes back. */
  readonly user: UserRecord
  readonly steps: ReadonlyArray<CommandStep>
}

/**
 * Whoever takes a bot back whose owner is gone owns it from then on. Refused where its owner has as many as there may be. A bot
 * owns none: the one that it takes back has only a new key, because who is gone knows the old one. So it is where an operator brings it back.
 */
const adoption = (realm: Realm, actor: UserRecord | null, user: UserRecord, token: string): Checked<AdoptedBot> => {
  const owner = ownerOf(realm, user)
  if (owner === undefined) return Result.succeed({ user, steps: [] })
  if (realm.isActive(owner.id)) return Result.map(requireRoom(realm, owner), () => ({ user, steps: [] }))
  if (actor === null || actor.is_bot) return Result.succeed({ user, steps: [newKeyRow(user)] })
  return Result.map(requireRoom(realm, actor), () => ({
    user: { ...user, bot_owner_id: actor.id, role: lesser(user.role, actor.role) },
    steps: giveBot(realm, user, actor, realm.part(botSettings).of(user.id), token),
  }))
}

/** Brings somebody back, for whoever may. `actor`: null: an operator, who owns no bots. `token`: new, for a bot's service. */
export const judgeReturn = (
  realm: Realm,
  actor: UserRecord | null,
  known: UserRecord,
  token: string,
): Judgement<void> => {
  const target = known.id
  if (realm.isActive(target)) return done(undefined)
  const adopted = adoption(realm, actor, known, token)
  if (Result.isFailure(adopted)) return refused(adopted.failure)
  const { user, steps } = adopted.success
  const channels = channelsLeft(realm, target).filter((channel) => mayComeBack(realm, user, channel))
  const channel_ids = channels.map(({ id }) => id)
  const before = withChangedRules(realm, {})
  const after = withChangedRules(realm, { isActive: (id) => id === target || realm.isActive(id) })
  const crossings = channel_ids.map((channel) => ({ channel, users: [user] }))
  return change([
    // Before it comes back: with the role that it has then.
    ...steps,
    ...meetingRows(realm, crossings),
    realmUserRows.change({ op: "update", user_id: target, is_active: true, channel_ids }, toRealm),
    endQueuesRow([target]),
    ...tellOrEndQueues([
      ...allMembershipRows(realm, user, "add_members"),
      ...peerInAll("peer_add", before, channels, target),
      ...namingRows(after, user),
    ]),
    ...(user.settings.allow_private_data_export && !user.is_bot ? [consentRow(realm, target, true)] : []),
  ])
}

const reactivate = (caller: Caller, target: UserId, token: string): Command<Realm, void> => ({
  judge: (realm) =>
    judgementOf(requireActor(realm, caller), (actor): Judgement<void> => {
      const known = findUser(realm, actor, target)
      if (known === undefined) return refused(noSuchUser())
      return mayDeactivate(actor, known) ? judgeReturn(realm, actor, known, token) : refused(ranksTooLow(actor))
    }),
})

export const reactivateUser = userEndpoint({
  method: "POST",
  path: "/users/{user_id:int}/reactivate",
  fresh: "onRefusal",
  summary: "Takes a deactivated user back.",
  params: { userId: integer("user_id") },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { userId } }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, reactivate(caller, UserId(userId), newServiceToken()))
    return dataReply()
  }),
})
