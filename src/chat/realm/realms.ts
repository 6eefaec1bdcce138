/**
 * The organizations of this process as every capability reaches them: to read the projection, to write, to announce. What
 * runs them is in chat/runtime.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Failure, Unavailable } from "../../errors.ts"
import type { Command } from "../../events/command.ts"
import type { Encoder } from "../../events/encode.ts"
import type { EventBody, Receivers } from "../../events/event.ts"
import type { Feed } from "../../events/feed.ts"
import type { Hub } from "../../events/hub.ts"
import type { Queues } from "../../events/queues.ts"
import type { Ring } from "../../events/ring.ts"
import type { Writer } from "../../events/writer.ts"
import type { RealmId } from "../../ids.ts"
import type { Realm } from "./realm.ts"

/** One realm at work: its projection, and the parts that carry its rows from the commit to the queues. */
export interface RealmRuntime {
  readonly realm: Realm
  readonly feed: Feed
  readonly ring: Ring
  readonly hub: Hub
  readonly encoder: Encoder
  readonly queues: Queues
  readonly writer: Writer<Realm>
  /** Tells live queues something that is not stored, at most once. */
  readonly announce: (body: EventBody, receivers: Receivers) => void
  readonly stop: () => void
}

interface RealmsShape {
  /** The organization served at a host; a lone one is served at every host. */
  readonly find: (host: string) => Effect.Effect<RealmId | null, Unavailable>
  /** The realm at work. It exists: its id came from `find` or from an authenticated caller. */
  readonly get: (id: RealmId) => Effect.Effect<RealmRuntime, Unavailable>
  /** Hands a command to the realm's writer; answers when the projection has passed it. */
  readonly submit: <A>(id: RealmId, command: Command<Realm, A>) => Effect.Effect<A, Failure>
  readonly loaded: () => ReadonlyArray<RealmRuntime>
  /** For what cannot wait: the realm of a host, or the one with an id, if it is at work already. */
  readonly atWork: (host: string) => { readonly id: RealmId; readonly runtime: RealmRuntime } | undefined
  readonly running: (id: RealmId) => RealmRuntime | undefined
  /** Looks again which realms there are, after one was made. */
  readonly refresh: () => Effect.Effect<void, Unavailable>
}

export class Realms extends Context.Service<Realms, RealmsShape>()("parley/chat/Realms") {}
