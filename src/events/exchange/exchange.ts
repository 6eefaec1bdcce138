/**
 * The organizations of this process beside the other processes that serve the database: what this one commits is told to them,
 * and what they tell is taken. Nothing here is what is true: that is the log, whose heads the database tells once a second.
 */
import * as Effect from "effect/Effect"
import type { OutgoingMessage } from "../../db/bus.ts"
import type { Cluster, Tick } from "../../db/cluster.ts"
import type { DatabaseShape } from "../../db/database.ts"
import type { RealmId } from "../../ids.ts"
import type { RealmFeed } from "../feed.ts"
import { readHead, readRowLines } from "../log.ts"
import type { NoteListener, Notes } from "../peers/notes.ts"
import { type OwnProcess, type Peers, whileCounted } from "../peers/peers.ts"
import {
  type BusMessage,
  everywhere,
  headMessage,
  type LogName,
  noteMessage,
  openNote,
  openRows,
  readMessage,
  rowsMessages,
} from "./bus-message.ts"
import { makeHeadReads } from "./head-reads.ts"
import type { PieceSeal } from "./piece-seal.ts"
import { RowReceiver } from "./row-receiver.ts"

export interface ExchangeOptions {
  readonly cluster: Cluster
  readonly database: DatabaseShape
  readonly seal: PieceSeal
  /** Called where newer programs have left this one behind. */
  readonly onOutdated: () => void
  /** Called once a second. */
  readonly onTick: (tick: Tick) => void
  readonly logDefect: (what: string, cause: unknown) => void
  /** Called for a message that none of the processes can have sent, at most once a minute. */
  readonly onForged: () => void
}

/** Messages that were sent, that came, that were lost before they were sent, and that could not be opened. */
export interface BusCounts {
  sent: number
  received: number
  unsent: number
  forged: number
}

export interface Exchange {
  /** `stop` where the organization is not served any more. */
  readonly join: (
    realm: RealmId,
    epoch: string,
    feed: RealmFeed,
    onLostLog: () => void,
  ) => Peers & { readonly stop: () => void }
  /** What concerns all organizations. */
  readonly everywhere: Notes
  readonly own: OwnProcess
  readonly counts: BusCounts
  /** How many rows of the logs, at the last tick, are not here yet. */
  readonly rowsBehind: () => number
}

type NoteListeners = Map<string, NoteListener>

interface Joined {
  readonly log: LogName
  readonly receiver: RowReceiver
  readonly feed: RealmFeed
  readonly listeners: NoteListeners
}

/** Bytes that wait to be sent: above it only the positions are told. */
const mostWaiting = 1024 * 1024
/** More than the name of a note's subject takes. */
const subjectBytes = 200
const quietMilliseconds = 60_000

export const makeExchange = (options: ExchangeOptions): Exchange => {
  const { cluster, database, seal } = options
  const { bus } = cluster
  const joined = new Map<number, Joined>()
  const toAll: NoteListeners = new Map()
  const counts: BusCounts = { sent: 0, received: 0, unsent: 0, forged: 0 }
  let waiting: Array<OutgoingMessage> = []
  let bytes = 0
  let isSending = false
  /** The heads of organizations whose rows were too many to be told. */
  const heads = new Map<LogName, number>()
  let forgedAt = Number.NEGATIVE_INFINITY

  const send = async (): Promise<void> => {
    while (waiting.length > 0 || heads.size > 0) {
      const late = [...heads].map(([log, head]) => ({
        realm: log.realm,
        text: headMessage(cluster.process, log, head),
      }))
      const messages = [...waiting, ...late]
      waiting = []
      bytes = 0
      heads.clear()
      const sent = bus === null ? 0 : await bus.publish(messages)
      counts.sent += sent
      counts.unsent += messages.length - sent
    }
    isSending = false
  }

  const put = ({ realm }: LogName, texts: ReadonlyArray<string>): void => {
    for (const text of texts) {
      waiting.push({ realm, text })
      bytes += text.length
    }
    if (isSending) return
    isSending = true
    void send()
  }

  const forged = (): void => {
    counts.forged += 1
    if (performance.now() - forgedAt < quietMilliseconds) return
    forgedAt = performance.now()
    options.onForged()
  }

  const notesOf = (log: LogName, listeners: NoteListeners): Notes => ({
    tell: (subject, body) => {
      const text = JSON.stringify(body)
      if (bus === null) return
      const isLong = Buffer.byteLength(text) > bus.longest() - subjectBytes
      if (isLong || bytes + text.length > mostWaiting) counts.unsent += 1
      else put(log, [noteMessage(cluster.process, log, subject, text, seal)])
    },
    hear: (subject, listener) => void listeners.set(subject, listener),
  })

  const hearNote = (message: Extract<BusMessage, { readonly kind: "note" }>, listeners: NoteListeners): void => {
    const opened = openNote(message, seal)
    if (opened === undefined) return forged()
    counts.received += 1
    try {
      listeners.get(message.subject)?.(JSON.parse(opened), message.from)
    } catch (fault) {
      options.logDefect("a note of another process could not be taken", fault)
    }
  }

  const onMessage = (text: string): void => {
    const message = readMessage(text)
    if (message === undefined) return forged()
    if (message.from === cluster.process) return
    if (message.kind === "note" && message.realm === everywhere.realm) return hearNote(message, toAll)
    const found = joined.get(message.realm)
    if (found === undefined || found.log.epoch !== message.epoch) return
    const { receiver, feed, listeners } = found
    if (message.kind === "note") return hearNote(message, listeners)
    if (message.kind === "head") return receiver.hear(message.head)
    counts.received += 1
    const opened = openRows(message, seal)
    const rows = opened === undefined ? null : readRowLines(opened)
    if (feed.isStuck) return
    if (rows === null) return forged()
    receiver.take(message.first, rows, text.length)
  }

  bus?.subscribe(everywhere.realm)
  bus?.listen(onMessage)
  cluster.listen({
    positions: () => Object.fromEntries([...joined].map(([realm, { feed }]) => [realm, feed.position])),
    onTick: (tick) => {
      // First: rows that this program may not know are followed no more.
      if (tick.speaks > cluster.version) return options.onOutdated()
      for (const [realm, head] of Object.entries(tick.heads)) joined.get(Number(realm))?.receiver.hear(head)
      options.onTick(tick)
    },
  })

  const own: OwnProcess = {
    name: cluster.process,
    now: cluster.now,
    wasStopped: cluster.wasStopped,
    living: () => cluster.lastTick()?.processes.map(({ id }) => id) ?? [],
  }

  return {
    counts,
    rowsBehind: () =>
      Object.entries(cluster.lastTick()?.heads ?? {}).reduce((sum, [realm, head]) => {
        const position = joined.get(Number(realm))?.feed.position ?? head
        return sum + Math.max(0, head - position)
      }, 0),
    own,
    everywhere: notesOf(everywhere, toAll),
    join: (realm, epoch, feed, onLostLog) => {
      const log = { realm, epoch }
      const head = Effect.suspend(() => readHead(database, realm))
      const fresh = makeHeadReads({ feed, readHead: head, onLostLog })
      const onFault = (fault: unknown) => options.logDefect("rows of another process could not be taken", fault)
      const receiver = new RowReceiver({ feed, fresh, onFault })
      const listeners: NoteListeners = new Map()
      const unsubscribe = bus?.subscribe(realm)
      joined.set(realm, { log, receiver, feed, listeners })
      return {
        ...notesOf(log, listeners),
        isAlone: false,
        speaks: () => (cluster.speaks() >= cluster.version ? Number.POSITIVE_INFINITY : cluster.speaks()),
        own,
        isCounted: cluster.isCounted,
        fresh: whileCounted(cluster.isCounted, fresh),
        publish: (committed) => {
          const [first] = committed.rows
          if (bus === null || first === undefined) return
          if (bytes + committed.text.length > mostWaiting) heads.set(log, committed.head)
          else put(log, rowsMessages(cluster.process, log, first.position, committed, seal, bus.longest()))
        },
        awaitRows: receiver.awaitRows,
        stop: () => {
          unsubscribe?.()
          joined.delete(realm)
          receiver.stop()
        },
      }
    },
  }
}
