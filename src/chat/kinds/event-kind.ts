/**
 * What a kind of event is: one value that says what the rows of its type carry, what they change, and how they look on
 * the wire. Rows are made by a kind's makers only, typed and encoded strictly before they are committed; what is read
 * from the log is decoded leniently, because the log holds rows of older programs. All kinds are listed in
 * chat/capabilities.ts.
 *
 * `rowKind` alone is for kinds that several rooms write: the look is added where it belongs, by `shownKind`. Every other
 * kind is made whole in its capability, by `eventKind`.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Keys } from "../../endpoint.ts"
import type { Audience } from "../../events/audience.ts"
import type { EventType, WireEvent } from "../../events/encode.ts"
import type { EventBody, LogRow } from "../../events/event.ts"
import type { NewRow } from "../../events/step.ts"
import type { Position, UserId } from "../../ids.ts"
import type { Json, JsonObject } from "../../json.ts"
import type { Realm } from "../realm/realm.ts"
import { plain } from "./event-shape.ts"
import type { SectionView } from "./section-view.ts"

/** What only some rows have. */
interface Further {
  /** How many wire ids the row takes: as many as the events that any client gets for it. 1 where it is not said. */
  readonly width?: number
  /** Given to the table function alone, and never written to the log: secrets, limits. */
  readonly beside?: Json
}

/** Makes a row that is to be written. */
type MakeRow<P> = (payload: P, audience: Audience, further?: Further) => NewRow

/** Who is shut out by a row; their connections end for this reason. */
export type ShutOut =
  | { readonly who: UserId; readonly reason: "unauthorized" | "key-changed" }
  | { readonly who: "everybody"; readonly reason: "realm-deactivated" }

interface RowDefinition<P> {
  readonly type: string
  /** What a row carries; one Struct for each op. */
  readonly payload: Schema.Codec<P, object>
  /**
   * Whether other commands are judged by what its rows change: a command that was judged before such a row is judged again
   * before it is committed. False where only its owner's own things change.
   */
  readonly changesRules: boolean
  /** The SQL function that makes the tables follow a row, `apply_<type>_vN`; absent where no table holds what it says. */
  readonly table?: string
  /** How a row changes the realm in memory; left out where that holds nothing of what the row says. */
  readonly move?: (realm: Realm, payload: P, position: Position) => void
  /** The fields of the payload that SQL sets in the commit; absent or null until then. */
  readonly filledIn?: ReadonlyArray<string>
  /** Whose event queues end over a row: they lack what their user may see from here on. */
  readonly endsQueues?: (payload: P) => ReadonlyArray<UserId>
  readonly shutsOut?: (payload: P) => ShutOut | undefined
}

/** The part of a kind that the log, the projection and the tables know: they ask by row, whatever it carries. */
export interface RowRules {
  readonly type: string
  readonly table: string | null
  readonly filledIn: ReadonlyArray<string>
  /** What is wrong with a committed payload, an unknown key too; undefined where nothing is. For tests. */
  readonly fault: (payload: JsonObject) => string | undefined
  readonly move: (realm: Realm, row: LogRow) => void
  readonly endsQueues: (row: LogRow) => ReadonlyArray<UserId>
  readonly shutsOut: (row: LogRow) => ShutOut | undefined
}

/** The typed side of a kind: for code that makes its rows, or shows them. */
export interface RowKind<P> extends RowRules {
  /** Reads a payload, of a row of any age. */
  readonly read: (payload: JsonObject) => P
  /** A row that changes something: projection and tables follow it. */
  readonly change: MakeRow<P>
  /**
   * A row that only tells somebody what is so already, because they see it newly or see it no more: projection and tables
   * pass over it.
   */
  readonly tell: MakeRow<P>
}

/** Whether a row only tells what is so already. */
const isTold = ({ payload }: LogRow): boolean => payload["told"] === true

const nobody: ReadonlyArray<UserId> = []

export const rowKind = <P>(definition: RowDefinition<P>): RowKind<P> => {
  const { type, payload: schema, changesRules, table = null, move, filledIn = [], endsQueues, shutsOut } = definition
  const read = Schema.decodeUnknownSync(schema)
  const encode = Schema.encodeSync(schema, { onExcessProperty: "error" })
  const readStrictly = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return {
    type,
    table,
    filledIn,
    read,
    change: (payload, audience, { width = 1, beside = null } = {}) => ({
      type,
      payload: encode(payload),
      audience,
      width,
      changesRules,
      table,
      beside,
    }),
    tell: (payload, audience, { width = 1 } = {}) => ({
      type,
      payload: { ...encode(payload), told: true },
      audience,
      width,
      changesRules: false,
      table: null,
      beside: null,
    }),
    fault: ({ told: _told, ...payload }) => {
      const decoded = readStrictly(payload)
      return Result.isFailure(decoded) ? String(decoded.failure) : undefined
    },
    move: (realm, row) => {
      if (move !== undefined && !isTold(row)) move(realm, read(row.payload), row.position)
    },
    endsQueues: (row) => (endsQueues === undefined || isTold(row) ? nobody : endsQueues(read(row.payload))),
    shutsOut: (row) => (shutsOut === undefined || isTold(row) ? undefined : shutsOut(read(row.payload))),
  }
}

/** What an event's look may depend on beside the event: what can be asked for its position, so that it never changes. */
export type Past = Pick<Realm, "host" | "subscriptions" | "activeAt">

/** How an event looks on the wire. */
type Shown<P> = {
  /** Each event that it may be, `id` and `type` too, by its `op`; "" for one that has none. */
  readonly events: Keys
  /**
   * The sections of a register's state that hold what its rows say: where the reply has them, the queue skips the rows that
   * are in it already (I13). By how the client registers, where that makes a difference.
   */
  readonly sections?: ReadonlyArray<string> | ((view: SectionView) => ReadonlyArray<string>)
} & (
  | {
      /** The same for everybody. */
      readonly wire: (payload: P, body: EventBody) => ReadonlyArray<WireEvent>
    }
  | {
      /** What depends on the client, the user or the past. Nothing but the event and the past up to it counts. */
      readonly look: (past: Past, read: (payload: JsonObject) => P) => EventType
    }
)

/** A kind as the lists know it. */
export interface EventKind extends RowRules {
  readonly events: Keys
  readonly look: (past: Past) => EventType
  readonly sections: (view: SectionView) => ReadonlyArray<string>
}

/** A row's kind with its look. */
export const shownKind = <P>(row: RowKind<P>, shown: Shown<P>): RowKind<P> & EventKind => {
  const { events, sections = [] } = shown
  return {
    ...row,
    events,
    look: (past) =>
      "wire" in shown ? plain((body) => shown.wire(row.read(body.payload), body)) : shown.look(past, row.read),
    sections: typeof sections === "function" ? sections : () => sections,
  }
}

/** A kind that one capability writes and shows. */
export const eventKind = <P>(definition: RowDefinition<P> & Shown<P>): RowKind<P> & EventKind =>
  shownKind(rowKind(definition), definition)
