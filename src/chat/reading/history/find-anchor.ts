/**
 * Anchors that are looked for in a narrow: `first_unread`, the oldest message that the reader has not read, and `date`, the oldest
 * one from a moment on. Of neither an id is told of a message that the reader may not see.
 */
import * as Effect from "effect/Effect"
import type { UserRead } from "../../../db/reads.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { findIdSince } from "./anchor-store.ts"
import { findMessages, type Scope } from "./fetch-messages-store.ts"
import type { Sought } from "./fetch-range.ts"
import type { NarrowCondition } from "./narrows/matcher.ts"
import { mutedChannels } from "./narrows/operators.ts"

const isUnread: NarrowCondition = { matcher: { kind: "flag", flag: "unread" }, negated: false }

/**
 * Whether this asks for what may be muted: a topic, a muted channel, or all that is muted. Whoever asks for another channel
 * does not want its muted topics.
 */
const isForMuted = ({ matcher, negated }: NarrowCondition, muted: ReadonlyArray<ChannelId>): boolean => {
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

/** The oldest message from an id on. */
const findFirst = Effect.fnUntraced(function* (reading: UserRead, scope: Scope, from: number) {
  const { candidates } = yield* findMessages(
    reading,
    scope,
    { anchor: from, before: 0, withAnchor: true, after: 1 },
    { rendered: true, mostBytes: Number.MAX_SAFE_INTEGER },
  )
  return candidates[0]?.id ?? null
})

const findFirstUnread = (reading: UserRead, scope: Scope, user: UserId, realm: Realm) => {
  const { narrow } = scope
  const muted = mutedChannels(realm, user)
  const isChosen = narrow.conditions.some((each) => isForMuted(each, muted))
  const home: NarrowCondition = { matcher: { kind: "home", channels: muted }, negated: false }
  const conditions = [...narrow.conditions, isUnread, ...(isChosen ? [] : [home])]
  return findFirst(reading, { ...scope, narrow: { ...narrow, conditions } }, 0)
}

/** null where there is none. */
export const findAnchor = Effect.fnUntraced(function* (reading: UserRead, scope: Scope, realm: Realm, sought: Sought) {
  if (sought.kind === "since")
    return yield* findFirst(reading, scope, yield* findIdSince(reading, scope.realm, sought.time))
  return scope.user === null ? null : yield* findFirstUnread(reading, scope, scope.user, realm)
})
