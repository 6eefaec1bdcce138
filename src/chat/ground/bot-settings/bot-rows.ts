/**
 * Rows of the log about what bots have beyond their account: their defaults, and the address that is called for one. Of each
 * such row only those hear who may run the bot, because with it comes what they alone may know: its owner, and administrators.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { rowKind } from "../kinds/event-kind.ts"
import { mayRunBot } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { BotSettings, botSettings, plainBot } from "./bot-settings.ts"

const Payload = Schema.Union([
  /** A new bot, or, told, one that somebody may run from now on. Rows of older programs have no settings: there were none. */
  Schema.Struct({
    op: Schema.Literal("add"),
    user_id: idSchemas.user,
    settings: BotSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(plainBot))),
  }),
  Schema.Struct({ op: Schema.Literal("update"), user_id: idSchemas.user, settings: BotSettings }),
  /** Only informs: somebody may not run it any more. */
  Schema.Struct({ op: Schema.Literal("delete"), user_id: idSchemas.user }),
])

export const realmBotRows = rowKind({
  type: "realm_bot",
  payload: Payload,
  // The row has all settings, of which a request may change one: two requests at once must not undo each other's changes.
  changesRules: true,
  applyFunction: "apply_realm_bot_v1",
  applyToProjection: (realm, payload) => {
    if (payload.op !== "delete") realm.part(botSettings).set(payload.user_id, payload.settings)
  },
})

/**
 * The people who may run a bot. Only its owner and administrators can be among them, so nobody else is asked: an organization
 * has a few administrators, and may have a hundred thousand people.
 */
const runnersOf = (realm: Realm, bot: UserRecord) => {
  const asked = new Set(realm.administrators)
  if (bot.bot_owner_id !== null) asked.add(bot.bot_owner_id)
  const runs = (id: UserId): boolean => {
    const user = realm.users.get(id)
    return user !== undefined && mayRunBot(user, bot)
  }
  return toUsers([...asked].filter(runs).sort((a, b) => a - b))
}

/** A bot is made, in the commit that makes its account. `bot`: the record that it will have. */
export const newBotRow = (realm: Realm, bot: UserRecord, settings: BotSettings): NewRow =>
  realmBotRows.change({ op: "add", user_id: bot.id, settings }, runnersOf(realm, bot))

/** A bot has other settings. `bot`: its record after the commit, by which it is decided who hears of it. */
export const changedBotRow = (realm: Realm, bot: UserRecord, settings: BotSettings): NewRow =>
  realmBotRows.change({ op: "update", user_id: bot.id, settings }, runnersOf(realm, bot))

/** Somebody may run a bot from now on, or no more: they alone are told, and nothing of the bot changes. */
export const runnerRow = (user: UserRecord, bot: UserRecord, mayRun: boolean, settings: BotSettings): NewRow =>
  realmBotRows.tell(
    mayRun ? { op: "add", user_id: bot.id, settings } : { op: "delete", user_id: bot.id },
    toUsers([user.id]),
  )
