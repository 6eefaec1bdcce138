/**
 * Who owns a bot: how many one account may have, and the rows by which a bot gets another owner. The one before may not run it
 * any more, unless they are an administrator.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { toRealm } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { runnerRow } from "../../ground/bot-settings/bot-rows.ts"
import type { BotSettings } from "../../ground/bot-settings/bot-settings.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { mayRunBot } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { botsOf } from "./leaving.ts"

/** The most active bots of an owner. Each is an account that everybody is told of, and that may have queues of its own. */
export const mostBots = 100

/** Refuses a further active bot for an owner who has as many as there may be. */
export const requireRoom = (realm: Realm, owner: UserRecord): Checked<void> =>
  botsOf(realm, owner).length < mostBots
    ? Result.succeed(undefined)
    : Result.fail(badRequest(`An account owns at most ${mostBots} active bots: deactivate some first.`))

export const ownerRows = (
  realm: Realm,
  bot: UserRecord,
  owner: UserRecord,
  settings: BotSettings,
): ReadonlyArray<NewRow> => {
  const after: UserRecord = { ...bot, bot_owner_id: owner.id }
  const before = bot.bot_owner_id === null ? undefined : realm.users.get(bot.bot_owner_id)
  const turned = [...(before === undefined ? [] : [before]), owner].filter(
    (user) => mayRunBot(user, bot) !== mayRunBot(user, after),
  )
  return [
    realmUserRows.change({ op: "update", user_id: bot.id, bot_owner_id: owner.id }, toRealm),
    ...turned.map((user) => runnerRow(user, bot, mayRunBot(user, after), settings)),
  ]
}
