/**
 * The branded ids that every part of the server shares. A brand exists only in the type checker: at run time an id
 * is a plain number or string. Ids are made where a value enters the program (a parameter, a row, a new object).
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

/** An organization. Everything below belongs to exactly one. */
export type RealmId = Brand.Branded<number, "RealmId">
export const RealmId = Brand.nominal<RealmId>()

/** A user or a bot, unique within its realm. */
export type UserId = Brand.Branded<number, "UserId">
export const UserId = Brand.nominal<UserId>()

/** A channel ("stream" on the wire), unique within its realm. */
export type ChannelId = Brand.Branded<number, "ChannelId">
export const ChannelId = Brand.nominal<ChannelId>()

/** A user group, unique within its realm. */
export type GroupId = Brand.Branded<number, "GroupId">
export const GroupId = Brand.nominal<GroupId>()

/** A channel folder, unique within its realm. */
export type FolderId = Brand.Branded<number, "FolderId">
export const FolderId = Brand.nominal<FolderId>()

/** A message; equal to the position of its message event. */
export type MessageId = Brand.Branded<number, "MessageId">
export const MessageId = Brand.nominal<MessageId>()

/** The gapless number of a row of a realm's log, from 1. 0 stands for "before the first row". */
export type Position = Brand.Branded<number, "Position">
export const Position = Brand.nominal<Position>()

/** The id of an event as clients see it: position × 65536 + n, or -1 for "nothing yet". */
export type WireId = Brand.Branded<number, "WireId">
export const WireId = Brand.nominal<WireId>()

/** An event queue: log epoch and a random part. Opaque to clients. */
export type QueueId = Brand.Branded<string, "QueueId">
export const QueueId = Brand.nominal<QueueId>()

/** Schemas of ids within records and rows: a decoded number gets its brand. */
export const idSchemas = {
  user: Schema.Number.pipe(Schema.fromBrand("UserId", UserId)),
  channel: Schema.Number.pipe(Schema.fromBrand("ChannelId", ChannelId)),
  group: Schema.Number.pipe(Schema.fromBrand("GroupId", GroupId)),
  folder: Schema.Number.pipe(Schema.fromBrand("FolderId", FolderId)),
  message: Schema.Number.pipe(Schema.fromBrand("MessageId", MessageId)),
}
