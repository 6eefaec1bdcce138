/** Schemas of values that many records share: ids, times, addresses, permissions. */
import * as Schema from "effect/Schema"
import { lengthFault } from "../../../api/shapes.ts"
import { systemGroups } from "../realm/domain-values.ts"

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
export const Id = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
export const Ids = Schema.Array(Id)

const rises = (ids: ReadonlyArray<number>) => ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? 0))

/** Ids in ascending order, each once. */
export const SortedIds = Ids.check(Schema.makeFilter(rises, { expected: "ids that rise" }))

/** At least one id, in any order, each once. */
export const SomeIds = Ids.check(Schema.isMinLength(1), Schema.isUnique())

/** In the year 5138, so milliseconds by mistake exceed it. */
export const latestSeconds = 1e11
/** Unix seconds. */
export const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: latestSeconds }))

/** A time in UTC, with microseconds. */
export const Iso = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/))

/**
 * A text of at most so many characters, counted as parameters count them, and JSON Schema: those outside the first 65,536, as most
 * emoji, are one. `Schema.isMaxLength` counts the halves of them.
 */
export const textUpTo = (most: number): Schema.String =>
  Schema.String.check(
    Schema.makeFilter((value: string) => lengthFault(value, { max: most }) === undefined, {
      expected: `at most ${most} characters`,
      toJsonSchema: () => ({ maxLength: most }),
    }),
  )

export const Address = Schema.String.check(Schema.isPattern(/^[^\s@]+@[^\s@]+$/))
export const Url = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/))
/** A picture of this server, by its path, or the one that gravatar.com has for an address. */
export const PictureUrl = Schema.String.check(
  Schema.isPattern(
    /^(?:\/user_avatars\/\d+\/[a-z]+\/[0-9a-z-]+\.png(?:\?version=\d+)?|https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?[^\s]+)$/,
  ),
)
export const Colour = Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/))
export const ApiKey = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{32}$/))

/** The group of visitors without an account cannot hold permissions. */
const isHolder = (id: number) => id !== systemGroups["role:internet"]

/** Holders of a permission: a group's id, or a list of users and groups. A single group or nobody is always an id. */
export const Holders = Schema.Union([
  Id.check(Schema.makeFilter(isHolder, { expected: "a group of people with accounts" })),
  Schema.Struct({ direct_members: SortedIds, direct_subgroups: SortedIds }).check(
    Schema.makeFilter(
      ({ direct_members, direct_subgroups }) =>
        (direct_members.length > 0 || direct_subgroups.length > 1) && direct_subgroups.every(isHolder),
      { expected: "a group that no id stands for" },
    ),
  ),
]).annotate({ identifier: "PermissionHolders" })

/** A list, or an object, of records that do not exist yet. */
export const NoItems = Schema.Array(Schema.Never)
export const NoKeys = Schema.Record(Schema.String, Schema.Never)

/** The Schema of an event whose type has several ops. */
export const opEvent = <const Type extends string, const Op extends string, const F extends Schema.Struct.Fields>(
  type: Type,
  op: Op,
  fields: F,
) => Schema.Struct({ id: Count, type: Schema.Literal(type), op: Schema.Literal(op), ...fields })

/** The Schema of an event whose type has no op. */
export const plainEvent = <const Type extends string, const F extends Schema.Struct.Fields>(type: Type, fields: F) =>
  Schema.Struct({ id: Count, type: Schema.Literal(type), ...fields })
