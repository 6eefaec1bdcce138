/**
 * The work that muting somebody leaves: what is unread of them is marked as read, after the muting is committed. If
 * that is cut off, by a crash or a lost database, the job of unfinished bulk commands does it again.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Unavailable } from "../../../api/errors.ts"
import { idSchemas } from "../../../ids.ts"
import { repeatableKind } from "../../ground/bulk/bulk-kind.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { readAllOf } from "../../reading/flags/mark-read.ts"
import { mutedUsers } from "../../sending/messages/muted-user-index.ts"

const Args = Schema.Struct({ user_id: idSchemas.user, muted_id: idSchemas.user })

/** Nothing is left to do for a user who was deactivated, or has unmuted the other one. */
export const readMutedMessages = repeatableKind(
  "read_muted",
  Schema.decodeUnknownSync(Args),
  Effect.fnUntraced(function* (id, { user_id, muted_id }) {
    const { realm } = yield* (yield* Realms).get(id)
    const user = realm.users.get(user_id)
    if (user === undefined || !realm.isActive(user_id) || realm.isDeactivated) return
    if (!realm.part(mutedUsers).isMuted(user_id, muted_id)) return
    const caller = { realm: id, user: user_id, keyVersion: user.key_version, client: "", origin: "" }
    // A refusal here, such as of a key that was replaced meanwhile, or of a read in a long line, is none of the muting.
    yield* Effect.catchTag(readAllOf(caller, muted_id), "ApiError", ({ msg }) =>
      Effect.fail(new Unavailable({ reason: msg })),
    )
  }),
)
