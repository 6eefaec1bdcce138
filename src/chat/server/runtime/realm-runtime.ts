/**
 * One realm at work in this process: its projection, feed, ring, hub, queues and writer, wired together. Made when the
 * realm is first asked for; everything in it is a cache of the database.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { requesterName } from "../../../api/endpoint.ts"
import type { Unavailable } from "../../../api/errors.ts"
import type { ClockShape } from "../../../clock.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { UserReads } from "../../../db/reads.ts"
import { makeWatch } from "../../../events/connection-watch.ts"
import { type EventType, makeEncoder } from "../../../events/encode.ts"
import { isStored, type LogRow } from "../../../events/event.ts"
import type { Exchange } from "../../../events/exchange/exchange.ts"
import { makeFeed } from "../../../events/feed.ts"
import type { QueueFlusher } from "../../../events/flusher.ts"
import { DeliveryHub } from "../../../events/hub.ts"
import { type LogPage, readRows } from "../../../events/log.ts"
import type { CatchUpLine } from "../../../events/past/catch-up-line.ts"
import { makeReader } from "../../../events/past/past-reader.ts"
import { RowPages } from "../../../events/past/row-pages.ts"
import { RowRing } from "../../../events/past/row-ring.ts"
import { noNotes } from "../../../events/peers/notes.ts"
import { alone } from "../../../events/peers/peers.ts"
import { makePlacedNotes } from "../../../events/peers/placed-notes.ts"
import type { QueueHost } from "../../../events/queue.ts"
import { makeQueues } from "../../../events/queues/queues.ts"
import { makeWriter } from "../../../events/writer.ts"
import type { RefusalsShape } from "../../../fairness/refusals.ts"
import type { RealmId } from "../../../ids.ts"
import type { EventKinds } from "../../ground/kinds/catalog.ts"
import { noEvents, uniformType } from "../../ground/kinds/event-kind-helpers.ts"
import { loadRealm } from "../../ground/realm/loading/load-store.ts"
import type { ProjectionPart } from "../../ground/realm/projection-part.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { RealmRuntime } from "../../ground/realm/realms.ts"
import { localEcho } from "../../sending/messages/message-event.ts"
import { makeQueueSpecs } from "../sync/queue-description.ts"
import { appendNoop } from "./server-kinds.ts"
import { makeShutOut } from "./shut-out.ts"

/** Number of the newest rows that a starting server reads back, so that returning clients need not ask the database. */
const ringRowsAtStart = 10_000
const ringRowsAtOnce = 1000

export interface RuntimeOptions {
  readonly database: DatabaseShape
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly refusals: Pick<RefusalsShape, "note">
  readonly flusher: QueueFlusher
  readonly line: CatchUpLine
  /** The other processes that serve the database; null: this one is alone. */
  readonly exchange: Exchange | null
  /** Milliseconds that servers have run on this database. */
  readonly running: () => number
  /** For what users' queues lack. */
  readonly reads: UserReads["Service"]
  /** Whether a long poll of this requester would find room for a large answer. */
  readonly hasRoom: (requester: string) => boolean
  readonly commitTime: () => number | null
  /** Called with the reason, in one sentence, when this process must stop. */
  readonly onForeign: (why: string) => void
  readonly logDefect: (what: string, cause: unknown, organization?: RealmId) => void
  readonly defer: (task: () => void) => void
  /** Does something beside everything else, until the server ends. */
  readonly inBackground: (work: Effect.Effect<void, unknown>) => void
  /** Every kind of event there is, by type. */
  readonly kinds: EventKinds
  /** Every part of the projection. */
  readonly parts: ReadonlyArray<ProjectionPart<unknown>>
}

/** Rows (after, through] of the log, page by page. */
const readRange = Effect.fnUntraced(function* (database: DatabaseShape, id: RealmId, after: number, through: number) {
  const rows: Array<LogRow> = []
  for (let at = after; at < through; ) {
    const page = yield* readRows(database, id, at, through)
    rows.push(...page.rows)
    const last = page.rows.at(-1)
    if (last === undefined) break
    at = last.position
  }
  return rows
})

/** Reads the newest rows first, and no more than the ring holds: 10,000 long messages would be 700 MB. */
const fillRing = Effect.fnUntraced(function* (
  database: DatabaseShape,
  id: RealmId,
  ring: RowRing,
  head: number,
  ringBytes: number,
) {
  const least = Math.max(0, head - ringRowsAtStart)
  const parts: Array<ReadonlyArray<LogRow>> = []
  let bytes = 0
  for (let through = head; through > least && bytes < ringBytes; through -= ringRowsAtOnce) {
    const rows = yield* readRange(database, id, Math.max(least, through - ringRowsAtOnce), through)
    parts.unshift(rows)
    for (const row of rows) bytes += row.bytes
  }
  for (const row of parts.flat()) ring.push(row)
})

const silent = uniformType(() => noEvents)

/** The wire forms of a realm's events. Rows of types that only a newer program knows are sent to no client. */
const looksOf = (kinds: EventKinds, realm: Realm): ((type: string) => EventType) => {
  const looks = new Map([...kinds.values()].map((kind) => [kind.type, kind.wireForm(realm)] as const))
  return (type) => looks.get(type) ?? silent
}

/** Loads a realm and connects its parts; null where there is no such realm. */
export const startRealm = Effect.fnUntraced(function* (
  id: RealmId,
  given: RuntimeOptions,
): Effect.fn.Return<RealmRuntime | null, Unavailable> {
  const logDefect = (what: string, cause: unknown) => given.logDefect(what, cause, id)
  const options = { ...given, logDefect }
  const { database, config, clock, flusher, defer, inBackground, kinds, parts } = options
  const { limits } = config
  const realm = yield* loadRealm(database, id, {
    moves: kinds,
    parts,
    usesGravatar: config.gravatar,
    now: clock.now,
  })
  if (realm === null) return null
  const ring = new RowRing(limits.ringBytes)
  yield* fillRing(database, id, ring, realm.position, limits.ringBytes)

  const pages = new RowPages({
    limitBytes: limits.pastBytes,
    head: () => feed.position,
    fetch: (after, through, give) => {
      const page: Effect.Effect<LogPage | null> = Effect.catchCause(
        readRows(options.reads.begin(`log of realm ${id}`), id, after, through),
        (cause) =>
          Effect.sync(() => {
            if (Cause.hasDies(cause)) options.logDefect("the log could not be read", cause)
            return null
          }),
      )
      inBackground(
        Effect.catchCause(Effect.map(page, give), (cause) =>
          Effect.sync(() => options.logDefect("a page of the log could not be taken", cause)),
        ),
      )
    },
  })
  const grew = (row: LogRow, bytes: number) => {
    if (!ring.grew(row, bytes)) pages.grew(row, bytes)
  }
  const encoder = makeEncoder(looksOf(kinds, realm), localEcho, grew, (body, fault) => {
    const which = isStored(body) ? `row ${body.position} of realm ${id}, of type ${body.type},` : `a ${body.type} event`
    options.logDefect(`${which} could not be encoded, and is sent to nobody`, fault)
  })
  const hub = new DeliveryHub({
    encoder,
    people: realm,
    started: { position: realm.position, width: ring.newest?.width ?? 0 },
    appendNoop: () =>
      inBackground(
        Effect.catchCause(Effect.asVoid(writer.submit(appendNoop)), () => Effect.sync(() => hub.noopFailed())),
      ),
    defer,
    onFault: (fault) => options.logDefect("an event could not be offered", fault),
  })
  const read = (after: number) => readRows(database, id, after, Number.MAX_SAFE_INTEGER)
  const watchers: Array<(row: LogRow) => void> = []
  /** Runs what only looks at a row, which must not end the process. */
  const tryTo = (look: () => void): void => {
    try {
      look()
    } catch (fault) {
      options.logDefect("a row could not be looked at", fault)
    }
  }
  const feed = makeFeed({
    projection: realm,
    ring,
    hub,
    read,
    ...(options.exchange === null ? {} : { isKnown: (type: string) => kinds.has(type) }),
    onApplied: (row) => redactRows(kinds.get(row.type)?.erasedPositions(row) ?? []),
    onRow: (row) => {
      shutOut(row)
      for (const look of watchers) tryTo(() => look(row))
    },
    onStuck: ({ position, type }, cause) => {
      options.logDefect(`row ${position} of realm ${id}, of type ${type}, could not be applied`, cause)
      options.onForeign(`row ${position} of the log, of type ${type}, could not be applied`)
    },
  })
  const onLostLog = () => options.onForeign("the database was put back to an earlier state; start again on it")
  const joined = options.exchange?.join(id, realm.epoch, feed, onLostLog)
  const peers = joined ?? alone
  const placed =
    joined === undefined
      ? undefined
      : makePlacedNotes({ peers: joined, position: () => feed.position, elapsed: clock.elapsed })
  if (placed !== undefined) watchers.push(placed.moved)
  const writer = makeWriter<Realm>({
    realm: id,
    database,
    projection: realm,
    feed,
    peers,
    clock,
    commitTime: options.commitTime,
    onForeign: () => options.onForeign("another server has taken the database over"),
    onLostLog,
    logDefect: options.logDefect,
  })
  const reader = makeReader({
    ring,
    hub,
    people: realm,
    encoder,
    head: () => feed.position,
    root: flusher.root,
    pendingEvents: limits.pendingEvents,
    pendingBytes: limits.pendingBytes,
    pages,
    line: options.line,
    ownerOf: (user) => requesterName({ realm: id, user }),
    hasRoom: options.hasRoom,
    onGap: (queue) => {
      // If the queue cannot be deleted now, the next reading finds the gap again.
      inBackground(Effect.catch(queues.remove(queue, "gone"), () => Effect.sync(() => queue.disconnect("unavailable"))))
    },
  })
  const host: QueueHost = {
    root: flusher.root,
    pendingEvents: limits.pendingEvents,
    pendingBytes: limits.pendingBytes,
    wake: flusher.wake,
    read: reader.read,
    turnedLive: (queue) => hub.enter(queue),
    fellBehind: (queue) => hub.leave(queue),
  }
  const watch = makeWatch(clock, limits, (queues) => hub.heartbeat(queues))
  const queues = makeQueues({
    realm: id,
    epoch: realm.epoch,
    database,
    clock,
    limits,
    feed,
    hub,
    host,
    peers,
    reader,
    watch,
    running: options.running,
    onLostLog,
    onSurplus: (user) => options.refusals.note("queues of a user", requesterName({ realm: id, user })),
    toSpec: makeQueueSpecs(),
    defer,
    onFault: (fault) => options.logDefect("a queue failed", fault),
  })
  /** The database has erased the content of these rows: nobody is to read their texts from memory. */
  const redactRows = (positions: ReadonlyArray<number>): void => {
    if (positions.length === 0) return
    for (const position of positions) ring.replace(position, (row) => kinds.get(row.type)?.redact(row) ?? row)
    pages.forget(positions)
    queues.reread(positions)
  }
  const shutOut = makeShutOut({ kinds, queues, hub })
  // What others have committed while it was loaded was told to nobody here.
  yield* Effect.onError(peers.fresh, () => Effect.sync(() => joined?.stop()))
  return {
    realm,
    feed,
    ring,
    pages,
    hub,
    encoder,
    queues,
    writer,
    peers,
    notes: placed ?? noNotes,
    announce: (body, receivers) => hub.ephemeral(body, receivers),
    watchRows: (look) => void watchers.push(look),
    stop: () => {
      watch.stop()
      writer.stop()
      joined?.stop()
    },
  }
})
