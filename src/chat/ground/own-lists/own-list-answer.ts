/**
 * The answer that lists all items of a list that only its owner sees, of which there may be megabytes: how long they are is
 * found first, then there is room for them, and they are read and written in parts.
 */
import * as Effect from "effect/Effect"
import { type Caller, dataReply, requesterName } from "../../../api/endpoint.ts"
import { UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import type { JsonObject } from "../../../json.ts"
import { JsonMember } from "../../../json-pieces.ts"
import { nextSlice } from "../../../slices.ts"
import { findStored } from "../kinds/section-store.ts"
import { membersOf } from "../kinds/section-text.ts"
import type { ItemFields, OwnList } from "./own-list.ts"
import { findItems, findSizes, type ItemSize } from "./own-list-store.ts"

const mostInPart = 100
const mostBytesInPart = 256 * 1024

/** The ids in parts, each of which is read by one statement. */
const partsOf = (sizes: ReadonlyArray<ItemSize>): ReadonlyArray<ReadonlyArray<number>> => {
  const parts: Array<Array<number>> = []
  let left = 0
  for (const { id, bytes } of sizes) {
    const last = parts.at(-1)
    left -= bytes
    if (last !== undefined && left >= 0 && last.length < mostInPart) {
      last.push(id)
      continue
    }
    parts.push([id])
    left = mostBytesInPart - bytes
  }
  return parts
}

/** Answers the list in its order, and `further` of the number of its items. */
export const answerOwn = Effect.fnUntraced(function* <F extends ItemFields>(
  list: OwnList<F>,
  caller: Caller,
  further: (count: number) => JsonObject = () => ({}),
) {
  const { kept, kind, show } = list
  if (kept === null) {
    const items = list.read(yield* findStored(list.section, caller.realm, caller.user))
    return dataReply({ ...further(items.length), [kind.type]: items.map(show) })
  }
  const sizes = yield* findSizes(list, caller)
  const reads = yield* UserReads
  const make = Effect.gen(function* () {
    // A reading of its own: the time that the request waits for room is not the database's.
    const reading = reads.begin(requesterName(caller))
    const texts: Array<string> = []
    for (const part of partsOf(sizes)) {
      const items = yield* findItems(list, caller, reading, part)
      texts.push(...items.map((item) => JSON.stringify(show(item))))
      yield* nextSlice
    }
    return [...membersOf(further(texts.length)), new JsonMember(kind.type, texts)]
  })
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
  return yield* (yield* LargeAnswers).answer(requesterName(caller), bytes, make)
})
