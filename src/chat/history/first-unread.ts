/** The anchor `first_unread`: the oldest message of a narrow that the reader has not read (contract 3.5). */
import * as Effect from "effect/Effect"
import type { Reading } from "../../db/reads.ts"
import type { Realm } from "../realm/realm.ts"
import { newest } from "./fetch-range.ts"
import { findMessages, type Scope } from "./fetch-store.ts"
import type { Condition } from "./narrows/matcher.ts"
import { mutedChannels } from "./narrows/operators.ts"

const isUnread: Condition = { matcher: { kind: "flag", flag: "unread" }, negated: false }

/** Whoever asks for a channel, a topic or what is muted wants that, muted or not. */
const isAbout: ReadonlySet<string> = new Set(["channel", "topic", "muted", "home"])

/** `newest` where there is none. */
export const findFirstUnread = Effect.fnUntraced(function* (reading: Reading, scope: Scope, realm: Realm) {
  const { user, narrow } = scope
  if (user === null) return newest
  const isChosen = narrow.conditions.some(({ matcher, negated }) => !negated && isAbout.has(matcher.kind))
  const home: Condition = { matcher: { kind: "home", channels: mutedChannels(realm, user) }, negated: false }
  const conditions = [...narrow.conditions, isUnread, ...(isChosen ? [] : [home])]
  const { candidates } = yield* findMessages(
    reading,
    { ...scope, narrow: { ...narrow, conditions } },
    { anchor: 0, before: 0, withAnchor: false, after: 1 },
    { rendered: true, mostBytes: Number.MAX_SAFE_INTEGER },
  )
  return candidates[0]?.id ?? newest
})
