/**
 * Rows about what a person says of themselves, with what has changed of it. That they are away is only told by them: their
 * setting `presence_enabled` says so, and the row of `user_settings` before this one has changed it.
 */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { rowKind } from "./event-kind.ts"
import { StatusEmoji, userStatuses } from "./user-statuses.ts"

const Payload = Schema.Struct({
  user_id: idSchemas.user,
  away: Schema.optionalKey(Schema.Boolean),
  /** Empty: they have none any more. */
  status_text: Schema.optionalKey(Schema.String),
  /** null: they have none any more. */
  emoji: Schema.optionalKey(Schema.NullOr(StatusEmoji)),
})

/** Two changes of one status hold together in whatever order they were judged. */
export const userStatusRows = rowKind({
  type: "user_status",
  payload: Payload,
  changesRules: false,
  applyFunction: "apply_user_status_v1",
  applyToProjection: (realm, { user_id, away: _told, ...changes }) => realm.part(userStatuses).set(user_id, changes),
})
