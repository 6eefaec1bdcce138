/** The anchor `first_unread`: the oldest message of a narrow that the reader has not read. */
import * as Effect from "effect/Effect"
import type { Reading } from "../../../db/reads.ts"
import type { ChannelId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { newest } from "./fetch-range.ts"
import { findMessages, type Scope } from "./fetch-store.ts"
import type { Condition } from "./narrows/matcher.ts"
import { mutedChannels } from "./narrows/operators.ts"

const isUnread: Condition = { matcher: { kind: "flag", flag: "unread" }, negated: false }

/**
 * Whether this asks for what may be muted: a topic, a muted channel, or all that is muted. Whoever asks for another channel
 * does not want its muted topics.
 */
const isForMuted = ({ matcher, negated }: Condition, muted: ReadonlyArray<ChannelId>): boolean => {
  switch (matcher.kind) {
    case "topic":
    case "muted":
      return !negated
    case "home":
      return negated
    case "channel":
      return !negated && muted.includes(matcher.channel)
    default:
      return false
  }
}

/** `newest` where there is none. */
export const findFirstUnread = Effect.fnUntraced(function* (reading: Reading, scope: Scope, realm: Realm) {
  const { user, narrow } = scope
  if (user === null) return newest
  const muted = mutedChannels(realm, user)
  const isChosen = narrow.conditions.some((each) => isForMuted(each, muted))
  const home: Condition = { matcher: { kind: "home", channels: muted }, negated: false }
  const conditions = [...narrow.conditions, isUnread, ...(isChosen ? [] : [home])]
  const { candidates } = yield* findMessages(
    reading,
    { ...scope, narrow: { ...narrow, conditions } },
    { anchor: 0, before: 0, withAnchor: false, after: 1 },
    { rendered: true, mostBytes: Number.MAX_SAFE_INTEGER },
  )
  return candidates[0]?.id ?? newest
})
