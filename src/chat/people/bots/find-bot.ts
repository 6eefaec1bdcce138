/** The bot that a request names, for whoever may change it: its owner, and administrators; one that is an owner, owners. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import type { UserId } from "../../../ids.ts"
import { mayDeactivate } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

export const notPermitted = badRequest("Insufficient permission")

export const requireBot = (realm: Realm, actor: UserRecord, id: UserId): Checked<UserRecord> => {
  const bot = realm.users.get(id)
  if (bot === undefined || !bot.is_bot) return Result.fail(badRequest("No such bot"))
  return mayDeactivate(actor, bot) ? Result.succeed(bot) : Result.fail(notPermitted)
}
