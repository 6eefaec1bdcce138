/**
 * Whose connections end over a row, and whose queues: asked by the realm at work after the projection has moved over
 * the row, whoever wrote it.
 */
import type { LogRow } from "../../events/event.ts"
import { UserId } from "../../ids.ts"
import { readApiKey, readQueueEnd, readRealm, readRealmUser } from "../kinds/payloads.ts"

/** Who has just been shut out; their connections end for this reason. */
export type ShutOut =
  | { readonly who: UserId; readonly reason: "unauthorized" | "key-changed" }
  | { readonly who: "everybody"; readonly reason: "realm-deactivated" }

export const shutOutBy = (row: LogRow): ShutOut | undefined => {
  switch (row.type) {
    case "realm":
      return readRealm(row.payload).op === "deactivated" ? { who: "everybody", reason: "realm-deactivated" } : undefined
    case "api_key":
      return { who: UserId(readApiKey(row.payload).user_id), reason: "key-changed" }
    case "realm_user": {
      const payload = readRealmUser(row.payload)
      const isOut = payload.op === "update" && "is_active" in payload && !payload.is_active
      return isOut ? { who: payload.user_id, reason: "unauthorized" } : undefined
    }
    default:
      return undefined
  }
}

/** Whose queues cannot go on over a row: they lack what their user may see from here on. */
export const queuesEndedBy = (row: LogRow): ReadonlyArray<UserId> => {
  if (row.type === "queue_end") return readQueueEnd(row.payload).user_ids
  if (row.type !== "realm_user") return []
  const payload = readRealmUser(row.payload)
  if (payload.op !== "update") return []
  const ends = "is_active" in payload ? payload.is_active : "role" in payload && payload.ends_queues === true
  return ends ? [payload.user_id] : []
}
