/**
 * The status of people: what they say of themselves, and whether they are away. Only what a request passes changes.
 * Everybody in the organization reads it; administrators set that of others, too.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, botRefused, type Checked, noSuchUser } from "../../../api/errors.ts"
import { anyLength, boolean, id, keyword, mapped, optional, requireLength, text } from "../../../api/params.ts"
import { usualMost } from "../../../api/shapes.ts"
import { toRealm } from "../../../events/audience.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { userStatusRows } from "../../ground/kinds/user-status-row.ts"
import { type StatusEmoji, userStatuses, wireStatus } from "../../ground/kinds/user-statuses.ts"
import { maySetStatuses, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { findPersonFor } from "../../ground/realm/acquaintance/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { emojiFault, readReactionType, requireNamed } from "../../text/emoji/reaction-emoji.ts"
import { quietSettingRows } from "../users/setting-rows.ts"
import { longestStatus, Status } from "./user-status-event.ts"

const nothingPassed = badRequest("Client did not pass any new values.")
const nameMissing = badRequest("Client must pass emoji_name if they pass either emoji_code or reaction_type.")
const isBot = badRequest("Bots do not have a status.")

/** Longer ones are not even trimmed. */
const statusText = mapped(text("status_text", anyLength), (raw) =>
  requireLength("status_text", raw.length > usualMost ? raw : raw.trim(), { max: longestStatus }),
)

/** No name and no code is nearly as long. */
const longest = { max: 100 }
const params = {
  statusText: optional(statusText),
  name: optional(text("emoji_name", longest)),
  code: optional(text("emoji_code", longest)),
  type: optional(keyword("reaction_type", longest)),
}

/** The parts of a status that a request passes. */
interface PassedStatus {
  readonly statusText: string | undefined
  /** Empty: the emoji is taken away, whatever else is passed of it. */
  readonly name: string | undefined
  readonly code: string | undefined
  readonly type: string | undefined
  readonly away?: boolean | undefined
}

/** The emoji; null: none from now on; undefined: nothing is passed of it. */
const readEmoji = (realm: Realm, { name, code, type: raw }: PassedStatus): Checked<StatusEmoji | null | undefined> => {
  if (name === undefined)
    return code === undefined && raw === undefined ? Result.succeed(undefined) : Result.fail(nameMissing)
  if (name === "") return Result.succeed(null)
  return Result.gen(function* () {
    const type = raw === undefined ? undefined : yield* readReactionType(raw)
    const emoji = yield* requireNamed(realm, { name, code, type })
    const fault = emojiFault(realm, emoji)
    return fault === undefined ? emoji : yield* Result.fail(fault)
  })
}

const isSame = (a: StatusEmoji | null, b: StatusEmoji | null): boolean =>
  a?.emoji_name === b?.emoji_name && a?.emoji_code === b?.emoji_code && a?.reaction_type === b?.reaction_type

/** The rows of what differs from the present status; one event tells all of it. */
const planRows = (realm: Realm, user: UserRecord, passed: PassedStatus): Checked<ReadonlyArray<NewRow>> => {
  const { statusText, name, away } = passed
  if (statusText === undefined && name === undefined && away === undefined) return Result.fail(nothingPassed)
  return Result.map(readEmoji(realm, passed), (emoji) => {
    const known = realm.part(userStatuses).of(user.id)
    const turned = away === undefined || away === known.away ? {} : { away }
    const changed = {
      ...(statusText === undefined || statusText === known.status_text ? {} : { status_text: statusText }),
      ...(emoji === undefined || isSame(emoji, known.emoji) ? {} : { emoji }),
    }
    const payload = { user_id: user.id, ...turned, ...changed }
    const settings = "away" in turned ? quietSettingRows(realm, user, [["presence_enabled", !turned.away]]) : []
    if (Object.keys(changed).length > 0) return [...settings, userStatusRows.change(payload, toRealm)]
    return settings.length > 0 ? [...settings, userStatusRows.tell(payload, toRealm)] : []
  })
}

const changeStatus = (realm: Realm, user: UserRecord, passed: PassedStatus): Judgement<void> =>
  judgementOf(
    planRows(realm, user, passed),
    (rows): Judgement<void> => (rows.length === 0 ? done(undefined) : change(rows)),
  )

export const postOwnStatus = userEndpoint({
  method: "POST",
  path: "/users/me/status",
  fresh: "onRefusal",
  summary: "Changes what the requester says of themselves.",
  params: { ...params, away: optional(boolean("away")) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: passed }) {
    yield* submitAs(caller, (realm, actor) =>
      actor.is_bot ? refused(botRefused()) : changeStatus(realm, actor, passed),
    )
    return dataReply()
  }),
})

const postStatus = userEndpoint({
  method: "POST",
  path: "/users/{user_id:int}/status",
  fresh: "onRefusal",
  summary: "Changes what is said of a user, by an administrator.",
  params: { userId: id("user_id", UserId), ...params },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { userId, ...passed } }) {
    yield* submitAs(caller, (realm, actor) => {
      if (!maySetStatuses(actor)) return refused(ranksTooLow(actor))
      const user = findPersonFor(realm, actor, userId)
      if (user === undefined) return refused(noSuchUser())
      return user.is_bot ? refused(isBot) : changeStatus(realm, user, passed)
    })
    return dataReply()
  }),
})

const getStatus = userEndpoint({
  method: "GET",
  path: "/users/{user_id:int}/status",
  summary: "What a user says of themselves, a deactivated one too.",
  params: { userId: id("user_id", UserId) },
  reply: Schema.Struct({ status: Status }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { userId } }) {
    const { realm, user: reader } = yield* requireAccount(caller)
    const user = findPersonFor(realm, reader, userId)
    if (user === undefined) return yield* noSuchUser()
    if (user.is_bot) return yield* isBot
    return dataReply({ status: wireStatus(realm.part(userStatuses).of(userId)) })
  }),
})

export const userStatusEndpoints = [postOwnStatus, postStatus, getStatus]
