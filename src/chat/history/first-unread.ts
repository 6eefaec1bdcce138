/** The anchor `first_unread`: the oldest message of a narrow that the reader has not read (contract 3.5). */
import * as Effect from "effect/Effect"
import type { Reading } from "../../db/reads.ts"
import type { UserId } from "../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { newest } from "./fetch-range.ts"
import { findMessages, type Scope } from "./fetch-store.ts"
import type { Condition } from "./narrow.ts"

const isUnread: Condition = { matcher: { kind: "flag", flag: "unread" }, negated: false }

/** Channels that the user has muted are passed over. */
const notMuted = (realm: Realm, user: UserId): ReadonlyArray<Condition> => {
  const muted = [...realm.channelsEver(user)].filter((id) => realm.subscriptions.settings(user, id)?.is_muted === true)
  return muted.length === 0 ? [] : [{ matcher: { kind: "channels", channels: muted }, negated: true }]
}

const namesChannel = ({ matcher, negated }: Condition): boolean =>
  !negated && (matcher.kind === "channel" || matcher.kind === "topic")

/** `newest` where there is none. */
export const findFirstUnread = Effect.fnUntraced(function* (reading: Reading, scope: Scope, realm: Realm) {
  const { user, narrow } = scope
  if (user === null) return newest
  const further = narrow.conditions.some(namesChannel) ? [] : notMuted(realm, user)
  const conditions = [...narrow.conditions, isUnread, ...further]
  const { candidates } = yield* findMessages(
    reading,
    { ...scope, narrow: { ...narrow, conditions } },
    { anchor: 0, before: 0, withAnchor: false, after: 1 },
    { rendered: true, mostBytes: Number.MAX_SAFE_INTEGER },
  )
  return candidates[0]?.id ?? newest
})
