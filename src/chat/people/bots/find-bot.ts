/** Who makes bots, and the bot that a request names, for whoever may change it: its owner, and administrators. */
import * as Result from "effect/Result"
import { badRequest, botRefused, type Checked } from "../../../api/errors.ts"
import type { UserId } from "../../../ids.ts"
import { type BotType, botTypes } from "../../ground/bot-settings/bot-settings.ts"
import { holdsRealm, mayDeactivate } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

export const notPermitted = badRequest("Insufficient permission")

export const requireBot = (realm: Realm, actor: UserRecord, id: UserId): Checked<UserRecord> => {
  const bot = realm.users.get(id)
  if (bot === undefined || !bot.is_bot) return Result.fail(badRequest("No such bot"))
  return mayDeactivate(actor, bot) ? Result.succeed(bot) : Result.fail(notPermitted)
}

/** Making bots of any type, or only those that post what another service tells them. Bots make none. */
export const requireMaker = (realm: Realm, actor: UserRecord, type: BotType): Checked<void> => {
  if (actor.is_bot) return Result.fail(botRefused())
  const isWriteOnly = type === botTypes.incomingWebhook
  const mayCreate =
    holdsRealm(realm, actor, "can_create_bots_group") ||
    (isWriteOnly && holdsRealm(realm, actor, "can_create_write_only_bots_group"))
  return mayCreate ? Result.succeed(undefined) : Result.fail(notPermitted)
}
