/**
 * Who owns a bot: how many one account may have, and the rows by which a bot gets another owner. Nothing of the one before stays
 * with it: neither their key, nor the token by which its service knows this server, nor a role above the new owner's. The one
 * before may not run it any more, unless they are an administrator.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { toRealm } from "../../../events/audience.ts"
import type { CommandStep } from "../../../events/step.ts"
import { changedBotRow, runnerRow } from "../../ground/bot-settings/bot-rows.ts"
import type { BotSettings, DefaultChannel } from "../../ground/bot-settings/bot-settings.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { mayReadContent, mayRunBot } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { newKeyRow } from "../../ground/sign-in/api-key.ts"
import { botsOf } from "./deactivation-steps.ts"
import { followingRows } from "./roles/role-rows.ts"
import { lesser, ownerOf } from "./roles/roles.ts"

/** The most active bots of an owner. Each is an account that everybody is told of, and that may have queues of its own. */
export const mostBots = 100

/** Refuses a further active bot for an owner who has as many as there may be. */
export const requireRoom = (realm: Realm, owner: UserRecord): Checked<void> =>
  botsOf(realm, owner).length < mostBots
    ? Result.succeed(undefined)
    : Result.fail(badRequest(`An account owns at most ${mostBots} active bots: deactivate some first.`))

/** A default channel that the new owner may not read is none any more: they would learn its name. */
const keptFor = (realm: Realm, owner: UserRecord, channel: DefaultChannel): DefaultChannel => {
  const known = channel === null ? undefined : realm.channels.get(channel.id)
  return known !== undefined && mayReadContent(realm, owner, known) ? channel : null
}

/** The settings of a bot as its new owner gets them. */
const handedOver = (realm: Realm, owner: UserRecord, settings: BotSettings, token: string): BotSettings => ({
  ...settings,
  sending: keptFor(realm, owner, settings.sending),
  reading: keptFor(realm, owner, settings.reading),
  service: settings.service === null ? null : { ...settings.service, token },
})

/**
 * The steps by which a bot gets another owner. `bot`: as it is but for a role of the same commit; `settings`: what it has
 * otherwise; `token`: new, for its service.
 */
export const giveBot = (
  realm: Realm,
  bot: UserRecord,
  owner: UserRecord,
  settings: BotSettings,
  token: string,
): ReadonlyArray<CommandStep> => {
  const role = lesser(bot.role, owner.role)
  const lowered: UserRecord = { ...bot, role }
  const given: UserRecord = { ...lowered, bot_owner_id: owner.id }
  const kept = handedOver(realm, owner, settings, token)
  const before = ownerOf(realm, bot)
  const turned = [...(before === undefined ? [] : [before]), owner].filter(
    (user) => mayRunBot(user, lowered) !== mayRunBot(user, given),
  )
  return [
    newKeyRow(bot),
    ...(role === bot.role ? [] : followingRows(realm, bot, role)),
    realmUserRows.change({ op: "update", user_id: bot.id, bot_owner_id: owner.id }, toRealm),
    ...turned.map((user) => runnerRow(user, given, mayRunBot(user, given), kept)),
    changedBotRow(realm, given, kept),
  ]
}
