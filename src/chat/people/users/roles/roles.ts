/**
 * A change of a user's role, which decides which system groups the user is in and which channels and addresses they see; the
 * user's clients get an event for each of these changes (role-rows.ts). What a bot may is at most what its owner may: no bot gets
 * a role above its owner's, and those of somebody whose role is lowered follow in the same commit.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../../api/errors.ts"
import type { CommandStep } from "../../../../events/step.ts"
import {
  isAdministrator,
  isLastOwner,
  mayChangeRole,
  mayRunBot,
  ranksTooLow,
} from "../../../ground/permissions/permissions.ts"
import { type Role, roles } from "../../../ground/realm/domain-values.ts"
import type { Realm } from "../../../ground/realm/realm.ts"
import type { UserRecord } from "../../../ground/realm/records.ts"
import { newKeyRow } from "../../../ground/sign-in/api-key.ts"
import { followingRows, roleRows } from "./role-rows.ts"

const aboveOwner = badRequest("A bot cannot have a higher role than its owner.")

export const ownerOf = (realm: Realm, bot: UserRecord): UserRecord | undefined =>
  bot.bot_owner_id === null ? undefined : realm.users.get(bot.bot_owner_id)

/** The lesser of two roles, which have the higher numbers. */
export const lesser = (a: Role, b: Role): Role => (a < b ? b : a)

/** Bots of a user, also those that are not active, with a role above the one that the user gets. */
const botsAbove = (realm: Realm, owner: UserRecord, role: Role): ReadonlyArray<UserRecord> =>
  [...realm.ownedBots(owner.id)]
    .sort((a, b) => a - b)
    .flatMap((id) => realm.users.get(id) ?? [])
    .filter((bot) => bot.role < role)

/**
 * New keys of bots of others with more rights than somebody has from now on, who could read their keys; `after`: null: they leave.
 * Bots of members keep theirs: there may be thousands, and each is what somebody's program signs in by.
 */
export const keysForgotten = (
  realm: Realm,
  before: UserRecord,
  after: UserRecord | null,
): ReadonlyArray<CommandStep> => {
  // Who holds a bot's key is its owner, of no lower role, who goes on or is asked about by themselves.
  if (before.is_bot || !isAdministrator(before)) return []
  const isAbove = (bot: UserRecord) => bot.role < roles.member && (after === null || bot.role < after.role)
  return [...realm.users.values()]
    .filter((bot) => bot.is_bot && bot.bot_owner_id !== before.id && isAbove(bot))
    .filter((bot) => mayRunBot(before, bot) && (after === null || !mayRunBot(after, bot)))
    .map(newKeyRow)
}

/** The steps by which a user's bots follow them to a lower role. */
export const botsFollow = (realm: Realm, owner: UserRecord, role: Role): ReadonlyArray<CommandStep> =>
  botsAbove(realm, owner, role).flatMap((bot) => followingRows(realm, bot, role))

/**
 * The steps that give the user a role; none where they have it. Whether the actor may do that is checked here; null: an operator.
 * `owner`: whose the user, a bot, is after the commit.
 */
export const planRole = (
  realm: Realm,
  actor: UserRecord | null,
  user: UserRecord,
  role: Role,
  owner: UserRecord | undefined = ownerOf(realm, user),
): Checked<ReadonlyArray<CommandStep>> => {
  if (actor !== null && !mayChangeRole(actor, user, role)) return Result.fail(ranksTooLow(actor))
  if (owner !== undefined && role < owner.role) return Result.fail(aboveOwner)
  if (user.role === role) return Result.succeed([])
  if (isLastOwner(realm, user))
    return Result.fail(badRequest("The owner permission cannot be removed from the only organization owner."))
  return Result.succeed([
    ...roleRows(realm, user, role),
    ...botsFollow(realm, user, role),
    ...keysForgotten(realm, user, { ...user, role }),
  ])
}
