/** Items of a list that only its owner sees, as own-lists.sql answers them: one, some, or how long all of them are. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, requesterName } from "../../../api/endpoint.ts"
import { type UserRead, UserReads } from "../../../db/reads.ts"
import { parseJson } from "../../../json.ts"
import { findStored } from "../kinds/section-store.ts"
import type { ItemFields, OwnItem, OwnList } from "./own-list.ts"

/** How long an item is, and by which number it is sorted. */
export interface ItemSize {
  readonly id: number
  readonly bytes: number
  readonly sortedBy: number
}

const readSizes = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.Number, Schema.Number, Schema.Number]))),
)

const itemsSql = "select own_items_v1($1::integer, $2::integer, $3, $4::text::bigint[])::text as found"
const sizesSql = "select own_item_sizes_v1($1::integer, $2::integer, $3, $4::bigint, $5)::text as found"

/** Those of these items that there are, in the order of their ids in the request. */
export const findItems = Effect.fnUntraced(function* <F extends ItemFields>(
  { noun, read }: OwnList<F>,
  { realm, user }: Caller,
  reading: UserRead,
  ids: ReadonlyArray<number>,
) {
  const [row] = yield* reading.query(itemsSql, [realm, user, noun, `{${ids.join(",")}}`])
  const found = new Map(read(parseJson(String(row?.["found"]))).map((item) => [item.id, item]))
  return ids.flatMap((id) => found.get(id) ?? [])
})

/** An item; undefined if there is none. */
export const findItem = Effect.fnUntraced(function* <F extends ItemFields>(
  list: OwnList<F>,
  caller: Caller,
  id: number,
) {
  const { kept, section, read } = list
  const found: ReadonlyArray<OwnItem<F>> =
    kept === null
      ? read(yield* findStored(section, caller.realm, caller.user))
      : yield* findItems(list, caller, (yield* UserReads).begin(requesterName(caller)), [id])
  return found.find((item) => item.id === id)
})

/** The sizes of all items, in the order of the list. */
export const findSizes = Effect.fnUntraced(function* <F extends ItemFields>(
  { noun, kept }: OwnList<F>,
  { realm, user }: Caller,
) {
  const reading = (yield* UserReads).begin(requesterName({ realm, user }))
  const sizes: Array<ItemSize> = []
  for (;;) {
    const parameters = [realm, user, noun, sizes.at(-1)?.id ?? 0, kept?.sortedBy ?? null]
    const [row] = yield* reading.query(sizesSql, parameters)
    const found = readSizes(row?.["found"])
    if (found.length === 0) return sizes.toSorted((a, b) => a.sortedBy - b.sortedBy || a.id - b.id)
    sizes.push(...found.map(([id, bytes, by]) => ({ id, bytes, sortedBy: by })))
  }
})
