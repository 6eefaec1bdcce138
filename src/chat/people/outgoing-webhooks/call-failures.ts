/** Tells owners that their bots could not be called: at most once an hour for each bot, with how often it happened. */
import * as Effect from "effect/Effect"
import { Clock } from "../../../clock.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { findOwner } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { asCode } from "../../sending/notices/names-in-notices.ts"
import { noticeSteps, silentMention } from "../../sending/notices/notices.ts"
import { countFailure } from "./calls-store.ts"

const quietMilliseconds = 3600_000

const noticeText = (bot: string, why: string, count: number): string =>
  [
    `Your bot ${bot} was called, but its program did not answer as it should: ${asCode(why.replaceAll(/\s/g, " "))}`,
    count === 1
      ? "If that goes on, you are told of it again in an hour at the earliest."
      : `This happened ${count} times since you were last told of it.`,
  ].join("\n\n")

const tell = (realm: Realm, id: UserId, why: string, count: number, at: number): Judgement<void> => {
  const bot = realm.users.get(id)
  const owner = bot === undefined || realm.isDeactivated ? undefined : findOwner(realm, bot)
  if (bot === undefined || owner === undefined) return done(undefined)
  const content = noticeText(silentMention(bot), why, count)
  return change([
    ...noticeSteps(realm, [{ user: owner, content }]),
    { fn: "bot_failures_told_v1", calls: [{ user_id: id, at }], keepsRules: true },
  ])
}

/** `why`: what went wrong, for the owner. */
export const noteFailure = Effect.fnUntraced(function* (realm: RealmId, bot: UserId, why: string) {
  const at = (yield* Clock).now()
  const count = yield* countFailure(realm, bot, at, quietMilliseconds)
  if (count === null) return
  yield* (yield* Realms).submit(realm, { judge: (now) => tell(now, bot, why, count, at) })
})
