/**
 * Kinds of work that is done in chunks, each judged by itself, and of other work behind a commit that is done again where it
 * was cut off. A feature lists its kinds in its definition; `bulk.ts` runs them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OutcomeUnknown, Unavailable } from "../../../api/errors.ts"
import type { UserReads } from "../../../db/reads.ts"
import type { CommandStep } from "../../../events/step.ts"
import type { RealmId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { Realm } from "../realm/realm.ts"
import type { Realms } from "../realm/realms.ts"

/** The most items in one commit, so that it holds the lock for at most 50 ms. */
export const chunkItems = 500

export interface BulkChunk {
  /** Empty if every item of the chunk is done already or has become pointless. */
  readonly steps: ReadonlyArray<CommandStep>
  /** The index of the item that the next chunk begins with; null: this is the last chunk. */
  readonly next: number | null
}

/** Plans the chunk that begins with item `from`, for the realm as it is now. Synchronous and without side effects. */
type ChunkFrom = (realm: Realm, from: number) => BulkChunk

/** The part of a command that its first commit has not done: all items from index `from` on. */
export interface RemainingWork {
  readonly kind: string
  /** Stored as JSON; after a restart the work is continued from these alone. */
  readonly args: JsonObject
  readonly from: number
  readonly chunk: ChunkFrom
  /** Time that the lock stays free after a chunk, as a share of the time that the chunk took. */
  readonly restShare: number
  /** Work that is done before each chunk by reads and commands of its own. It may be done again. */
  readonly before: (realm: RealmId) => WorkBefore
}

/** Services that the work before a chunk may use. */
export type WorkServices = Realms | UserReads

/** It cannot be refused: the command is committed. */
type WorkBefore = Effect.Effect<void, Unavailable | OutcomeUnknown, WorkServices>

/** A kind of work, with the name that its unfinished commands are stored under. */
export interface StoredBulkKind {
  readonly name: string
  /** Throws if the stored arguments are not of this kind. */
  readonly restore: (args: unknown, from: number) => RemainingWork
}

export interface BulkKind<Args> extends StoredBulkKind {
  readonly chunk: (realm: Realm, args: Args, from: number) => BulkChunk
  readonly rest: (args: Args, from: number) => RemainingWork
}

/**
 * `read` decodes stored arguments, also those that an older program has stored, and throws if it cannot. Chunks that hold the
 * lock for a few milliseconds may follow each other sooner, by a smaller `restShare`.
 */
export const bulkKind = <Args extends JsonObject>(
  name: string,
  read: (stored: unknown) => Args,
  chunk: (realm: Realm, args: Args, from: number) => BulkChunk,
  restShare = 1,
): BulkKind<Args> => {
  const rest = (args: Args, from: number): RemainingWork => ({
    kind: name,
    args,
    from,
    chunk: (realm, at) => chunk(realm, args, at),
    restShare,
    before: () => Effect.void,
  })
  return { name, chunk, rest, restore: (stored, from) => rest(read(stored), from) }
}

export interface RepeatableKind<Args> extends StoredBulkKind {
  readonly rest: (args: Args) => RemainingWork
}

/**
 * A kind of work that is no list of items, but something that can be done again from its beginning, as often as it is cut
 * off. `work` must do nothing where it has become pointless.
 */
export const repeatableKind = <Args extends JsonObject>(
  name: string,
  read: (stored: unknown) => Args,
  work: (realm: RealmId, args: Args) => WorkBefore,
): RepeatableKind<Args> => {
  const rest = (args: Args): RemainingWork => ({
    kind: name,
    args,
    from: 0,
    chunk: () => ({ steps: [], next: null }),
    restShare: 0,
    before: (realm) => work(realm, args),
  })
  return { name, rest, restore: (stored) => rest(read(stored)) }
}

/** All kinds there are. */
export class BulkKinds extends Context.Service<BulkKinds, ReadonlyArray<StoredBulkKind>>()("parley/chat/BulkKinds") {}
