/** Rows about what bots have beyond their account. They go to whoever may run the bot: its owner, and administrators. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas } from "../../../ids.ts"
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
  // Messages that name no channel are judged by it.
  changesRules: true,
  table: "apply_realm_bot_v1",
  move: (realm, payload) => {
    if (payload.op !== "delete") realm.part(botSettings).set(payload.user_id, payload.settings)
  },
})

const runnersOf = (realm: Realm, bot: UserRecord) =>
  toUsers([...realm.users.values()].filter((user) => mayRunBot(user, bot)).map(({ id }) => id))

/** Of a new bot, which is not among the people yet. */
export const newBotRow = (realm: Realm, bot: UserRecord, settings: BotSettings): NewRow =>
  realmBotRows.change({ op: "add", user_id: bot.id, settings }, runnersOf(realm, bot))

/** `bot`: as it will be. */
export const changedBotRow = (realm: Realm, bot: UserRecord, settings: BotSettings): NewRow =>
  realmBotRows.change({ op: "update", user_id: bot.id, settings }, runnersOf(realm, bot))

/** Tells users that they may run a bot from now on, or no more. */
export const runnerRow = (user: UserRecord, bot: UserRecord, mayRun: boolean, settings: BotSettings): NewRow =>
  realmBotRows.tell(
    mayRun ? { op: "add", user_id: bot.id, settings } : { op: "delete", user_id: bot.id },
    toUsers([user.id]),
  )
