/** What the small values on the wire look like that many records share: ids, times, addresses, permissions. */
import * as Schema from "effect/Schema"
import { systemGroups } from "../realm/values.ts"

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
export const Id = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
export const Ids = Schema.Array(Id)

const rises = (ids: ReadonlyArray<number>) => ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? 0))

/** Ascending, each once. */
export const SortedIds = Ids.check(Schema.makeFilter(rises, { expected: "ids that rise" }))

/** In any order, each once, and not none. */
export const SomeIds = Ids.check(Schema.isMinLength(1), Schema.isUnique())

/** Unix seconds: 1e11 of them are the year 5138, and milliseconds of today are more. */
export const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e11 }))

/** A moment, in UTC. */
export const Iso = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/))
export const Address = Schema.String.check(Schema.isPattern(/^[^\s@]+@[^\s@]+$/))
export const Url = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/))
export const Colour = Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/))
export const ApiKey = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{32}$/))

/** Those who have no account hold nothing. */
const isHolder = (id: number) => id !== systemGroups["role:internet"]

/** Who holds a permission: a group's id, or people and groups; what one group or nobody holds is always an id. */
export const Holders = Schema.Union([
  Id.check(Schema.makeFilter(isHolder, { expected: "a group of people with accounts" })),
  Schema.Struct({ direct_members: SortedIds, direct_subgroups: SortedIds }).check(
    Schema.makeFilter(
      ({ direct_members, direct_subgroups }) =>
        (direct_members.length > 0 || direct_subgroups.length > 1) && direct_subgroups.every(isHolder),
      { expected: "a group that no id stands for" },
    ),
  ),
])

/** What has no records yet. */
export const NoItems = Schema.Array(Schema.Never)
export const NoKeys = Schema.Record(Schema.String, Schema.Never)

/** An event of a type that has ops. */
export const opEvent = <const Type extends string, const Op extends string, const F extends Schema.Struct.Fields>(
  type: Type,
  op: Op,
  fields: F,
) => Schema.Struct({ id: Count, type: Schema.Literal(type), op: Schema.Literal(op), ...fields })

/** An event of a type that has none. */
export const plainEvent = <const Type extends string, const F extends Schema.Struct.Fields>(type: Type, fields: F) =>
  Schema.Struct({ id: Count, type: Schema.Literal(type), ...fields })
