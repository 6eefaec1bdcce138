/**
 * The service through which capabilities reach the organizations of this process: to read a projection, to submit a
 * command, to announce an ephemeral event. It is implemented in server/runtime.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Failure, Unavailable } from "../../../api/errors.ts"
import type { Command } from "../../../events/command.ts"
import type { Encoder } from "../../../events/encode.ts"
import type { EventBody, LogRow, Receivers } from "../../../events/event.ts"
import type { Feed } from "../../../events/feed.ts"
import type { Hub } from "../../../events/hub.ts"
import type { Pages } from "../../../events/past/pages.ts"
import type { Ring } from "../../../events/past/ring.ts"
import type { Queues } from "../../../events/queues/queues.ts"
import type { Writer } from "../../../events/writer.ts"
import type { RealmId } from "../../../ids.ts"
import type { Realm } from "./realm.ts"

/** A loaded realm: its projection, and the parts that carry its rows from the commit to the queues. */
export interface RealmRuntime {
  readonly realm: Realm
  readonly feed: Feed
  readonly ring: Ring
  readonly pages: Pages
  readonly hub: Hub
  readonly encoder: Encoder
  readonly queues: Queues
  readonly writer: Writer<Realm>
  /** Sends live queues an event that is not stored; it is delivered at most once. */
  readonly announce: (body: EventBody, receivers: Receivers) => void
  /** Calls `look` with every row after it was applied and put to the hub, in the same turn; what it throws is logged. */
  readonly watchRows: (look: (row: LogRow) => void) => void
  readonly stop: () => void
}

interface RealmsShape {
  /** The realm of a host; null if there is none. If the database has only one realm, it has every host. */
  readonly find: (host: string) => Effect.Effect<RealmId | null, Unavailable>
  /** The realm, loaded if need be. It must exist: its id comes from `find` or from an authenticated caller. */
  readonly get: (id: RealmId) => Effect.Effect<RealmRuntime, Unavailable>
  /** Hands a command to the realm's writer. Answers when the projection has applied its rows. */
  readonly submit: <A>(id: RealmId, command: Command<Realm, A>) => Effect.Effect<A, Failure>
  readonly loaded: () => ReadonlyArray<RealmRuntime>
  /** For callers that cannot wait: the realm of a host, if it is loaded; `running`: the realm with an id. */
  readonly atWork: (host: string) => { readonly id: RealmId; readonly runtime: RealmRuntime } | undefined
  readonly running: (id: RealmId) => RealmRuntime | undefined
  /** Whether there are several realms, of which one has this host. */
  readonly isOneOfSeveral: (host: string) => boolean
  /** Whether there is no realm, so that nobody is served. */
  readonly hasNone: () => boolean
  /** Reads the list of realms again, after one was made. */
  readonly refresh: () => Effect.Effect<void, Unavailable>
}

export class Realms extends Context.Service<Realms, RealmsShape>()("parley/chat/Realms") {}

/**
 * Waits until the projection has the row at a position. What a statement reads may be newer than the projection: a
 * message that was moved a moment ago is judged by rules that know what came before its move.
 */
export const reach = (realm: Realm, position: number): Effect.Effect<void, Unavailable, Realms> =>
  position <= realm.position
    ? Effect.void
    : Effect.flatMap(Realms, (realms) => Effect.flatMap(realms.get(realm.id), ({ feed }) => feed.catchUp(position)))
