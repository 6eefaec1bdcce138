/**
 * The service through which capabilities reach the organizations of this process: to read a projection, to submit a
 * command, to announce an ephemeral event. It is implemented in server/runtime.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RequestFailure, Unavailable } from "../../../api/errors.ts"
import type { Command } from "../../../events/command.ts"
import type { RowEncoder } from "../../../events/encode.ts"
import type { EventBody, LogRow, Receivers } from "../../../events/event.ts"
import type { BusCounts } from "../../../events/exchange/exchange.ts"
import type { RealmFeed } from "../../../events/feed.ts"
import type { DeliveryHub } from "../../../events/hub.ts"
import type { RowPages } from "../../../events/past/row-pages.ts"
import type { RowRing } from "../../../events/past/row-ring.ts"
import type { Notes } from "../../../events/peers/notes.ts"
import type { OwnProcess, Peers } from "../../../events/peers/peers.ts"
import type { EventQueues } from "../../../events/queues/queues.ts"
import type { LogWriter } from "../../../events/writer.ts"
import type { RealmId } from "../../../ids.ts"
import type { Realm } from "./realm.ts"

/** A loaded realm: its projection, and the parts that carry its rows from the commit to the queues. */
export interface RealmRuntime {
  readonly realm: Realm
  readonly feed: RealmFeed
  readonly ring: RowRing
  readonly pages: RowPages
  readonly hub: DeliveryHub
  readonly encoder: RowEncoder
  readonly queues: EventQueues
  readonly writer: LogWriter<Realm>
  readonly peers: Peers
  /** What is told to the same organization in other processes, which hear it when they have this one's position. */
  readonly notes: Notes
  /** Sends live queues of this process an event that is not stored; it is delivered at most once. */
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
  readonly submit: <A>(id: RealmId, command: Command<Realm, A>) => Effect.Effect<A, RequestFailure>
  /** Whether other processes may write to the database, too. */
  readonly isAlone: boolean
  /** What processes tell each other beside the logs, of what concerns all organizations. */
  readonly everywhere: Notes
  /** This process among several; null: it is alone. */
  readonly own: OwnProcess | null
  /** How many messages went to the other processes and came from them; null where there are none. */
  readonly busCounts: () => Readonly<BusCounts> | null
  /** Rows that others had committed when the database was last asked, and that are not here yet. */
  readonly rowsBehind: () => number
  /** Brings the projection up to all that was committed before, by any process. Nothing where this process is alone. */
  readonly fresh: (id: RealmId) => Effect.Effect<void, Unavailable>
  readonly loaded: () => ReadonlyArray<RealmRuntime>
  /** Calls `look` with each realm that is loaded, those that are already included. */
  readonly whenLoaded: (look: (runtime: RealmRuntime) => void) => void
  /** The time that commits bear, in milliseconds, where it is driven; null: they bear that of the database's clock. */
  readonly databaseTime: () => number | null
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
export const waitForPosition = (realm: Realm, position: number): Effect.Effect<void, Unavailable, Realms> =>
  position <= realm.position
    ? Effect.void
    : Effect.flatMap(Realms, (realms) => Effect.flatMap(realms.get(realm.id), ({ feed }) => feed.catchUp(position)))
