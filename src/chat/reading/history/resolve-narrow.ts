/**
 * Resolves the narrow of a request. A term `with` names a message, and stands for the conversation in which that message
 * is now: the channel and the topic, or the people. It takes the place of the terms that name a conversation, which may
 * be out of date because topics are moved. If there is no such message for the reader, these terms count.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { UserRead } from "../../../db/reads.ts"
import { waitForPosition } from "../../ground/realm/realms.ts"
import { SearchIndex } from "../search/search-index.ts"
import { findConversation } from "./conversation-store.ts"
import { judgeFor } from "./message-access.ts"
import type { NarrowCondition } from "./narrows/matcher.ts"
import { asksForWebPublic, type NarrowReader, type NarrowTerm, readNarrow } from "./narrows/narrow.ts"
import { invalidWith, needsAccount, refusedOperand } from "./narrows/operators.ts"

/** The operators whose terms are replaced. */
const naming: ReadonlySet<string> = new Set(["channel", "topic", "dm"])

const conditionsOf = Effect.fnUntraced(function* (reading: UserRead, { realm, user }: NarrowReader, message: number) {
  const scope = { realm: realm.id, user: user?.id ?? null }
  const place = yield* findConversation(reading, scope, message)
  if (place === undefined) return undefined
  const { since, channel_id, topic, member_key, held } = place
  yield* waitForPosition(realm, since)
  if (!judgeFor(realm, user).mayRead(channel_id, held)) return undefined
  const matchers: ReadonlyArray<NarrowCondition["matcher"]> =
    channel_id === null
      ? [{ kind: "conversation", memberKey: member_key ?? "" }]
      : [
          { kind: "channel", channel: channel_id },
          { kind: "topic", topic },
        ]
  return matchers.map((matcher): NarrowCondition => ({ matcher, negated: false }))
})

/** Fails with BAD_NARROW, or with UNAUTHORIZED where a visitor needs an account. */
export const resolveNarrow = Effect.fnUntraced(function* (
  reading: UserRead,
  terms: ReadonlyArray<NarrowTerm>,
  reader: NarrowReader,
) {
  // Before anything is looked up: the answer might tell of it.
  if (reader.user === null && !asksForWebPublic(terms)) return yield* Effect.fromResult(needsAccount())
  if (terms.some(({ operator }) => operator === "search")) yield* (yield* SearchIndex).catchUp(reader.realm.id)
  const [term, ...further] = terms.filter(({ operator }) => operator === "with")
  if (term === undefined) return yield* Effect.fromResult(readNarrow(terms, reader))
  const { operand, negated } = term
  const number = Predicate.isNumber(operand) || /^\d{1,16}$/.test(String(operand)) ? Number(operand) : Number.NaN
  if (further.length > 0 || negated || !Number.isSafeInteger(number) || number < 0)
    return yield* Effect.fromResult(refusedOperand(invalidWith))
  const others = terms.filter((each) => each !== term)
  const conversation = yield* conditionsOf(reading, reader, number)
  const kept = others.filter((each) => each.negated || !naming.has(each.operator))
  if (conversation !== undefined) return yield* Effect.fromResult(readNarrow(kept, reader, conversation))
  if (kept.length === others.length)
    return yield* Effect.fromResult(reader.user === null ? needsAccount() : refusedOperand(invalidWith))
  return yield* Effect.fromResult(readNarrow(others, reader))
})
