/**
 * A kind of event is one value that defines what the log rows of its type carry, what they change, and their wire form.
 * Only the kind makes its rows: payloads are typed, and encoded strictly before they are committed. Rows read from the log
 * are decoded leniently, because older programs may have written them. Each is listed by the definition of its feature.
 *
 * Most kinds are made in their capability, by `eventKind`. A kind that several folders of src/chat write is made in two
 * parts: `rowKind` here, and its wire form by `wireKind` in its capability.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import type { Audience } from "../../../events/audience.ts"
import type { EventType, WireEvent } from "../../../events/encode.ts"
import type { EventBody, LogRow } from "../../../events/event.ts"
import type { NewRow } from "../../../events/step.ts"
import type { Position, UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { Realm } from "../realm/realm.ts"
import { uniformType } from "./event-kind-helpers.ts"
import type { SectionView } from "./section-view.ts"

/** Properties that only some rows have. */
interface RowOptions {
  /** Number of wire ids that the row takes: the most events that any client gets for it. Default: 1. */
  readonly width?: number
  /** Data for the table function only, such as secrets and limits; never written to the log. */
  readonly sideData?: JsonObject
}

/** Makes a row that is to be written. */
type MakeRow<P> = (payload: P, audience: Audience, further?: RowOptions) => NewRow

/** The users whom a row shuts out, and the reason with which their connections are closed. */
export type Disconnection =
  | { readonly who: UserId; readonly reason: "unauthorized" | "key-changed" }
  | { readonly who: "everybody"; readonly reason: "realm-deactivated" }

/**
 * A version of the tables, whose programs know the kind; or versions that brought a part of it, such as an op or a field, and
 * whether a payload has that part.
 */
export type Since<P> = number | Readonly<Record<number, (payload: P) => boolean>>

interface RowDefinition<P> {
  readonly type: string
  /** The Schema of the payload; one Struct for each op. */
  readonly payload: Schema.Codec<P, object>
  /**
   * Whether the judgement of other commands may depend on what these rows change. If so, a command judged before such a
   * row is judged again before it is committed. False for changes that concern only their owner.
   */
  readonly changesRules: boolean
  /** From which version on its rows may be written, where older programs could not follow them; absent: they all can. */
  readonly since?: Since<P>
  /**
   * The SQL function that applies a row to the tables, `apply_<type>_vN`; absent if no table holds what the row says.
   */
  readonly applyFunction?: string
  /** Further data for the table function, computed from the payload because SQL cannot compute it. */
  readonly derive?: (payload: P) => JsonObject
  /** Applies a row to the realm in memory; absent if the realm in memory does not hold what the row says. */
  readonly applyToProjection?: (realm: Realm, payload: P, position: Position) => void
  /** The fields of the payload that SQL sets in the commit; absent or null until then. */
  readonly filledIn?: ReadonlyArray<string>
  /** The users whose event queues a row ends, because no events tell them of all that they may see from now on. */
  readonly endsQueues?: (payload: P) => ReadonlyArray<UserId>
  readonly shutsOut?: (payload: P) => Disconnection | undefined
  /** The positions of earlier rows whose content a row has erased in the database. */
  readonly erasedPositions?: (payload: P) => ReadonlyArray<number>
  /** The rest of a payload that may hold people's texts, when these are deleted; as SQL leaves it in the log. */
  readonly redact?: (payload: JsonObject) => JsonObject
}

/** The untyped side of a kind: for code that handles rows of any type (log, projection, tables). */
export interface UntypedRowKind {
  readonly type: string
  readonly applyFunction: string | null
  /** The Schema of its payloads. For tests. */
  readonly payload: Schema.Top
  readonly filledIn: ReadonlyArray<string>
  /** The newest version that brought the kind or a part of it; 0: it was always there. */
  readonly newestSince: number
  /** The fault of a committed payload, such as an unknown key; undefined if it has none. For tests. */
  readonly fault: (payload: JsonObject) => string | undefined
  readonly applyToProjection: (realm: Realm, row: LogRow) => void
  readonly endsQueues: (row: LogRow) => ReadonlyArray<UserId>
  readonly shutsOut: (row: LogRow) => Disconnection | undefined
  readonly erasedPositions: (row: LogRow) => ReadonlyArray<number>
  /** The row without people's texts. */
  readonly redact: (row: LogRow) => LogRow
}

/** The typed side of a kind: for code that makes its rows, or shows them. */
export interface RowKind<P> extends UntypedRowKind {
  /** Decodes a payload, also one that an older program has written. */
  readonly read: (payload: JsonObject) => P
  /** Makes a row that changes something: it is applied to the projection and the tables. */
  readonly change: MakeRow<P>
  /**
   * Makes a row that only informs users, because something that exists comes into their sight or goes out of it: it is
   * not applied to the projection or the tables.
   */
  readonly tell: MakeRow<P>
}

/** Whether a row only informs users (`tell`) and changes nothing. */
const isTold = ({ payload }: LogRow): boolean => payload["told"] === true

const nobody: ReadonlyArray<UserId> = []
const nowhere: ReadonlyArray<number> = []

/** The version that a payload needs; 0: any. */
const sinceOf = <P>(since: Since<P>, payload: P): number =>
  typeof since === "number"
    ? since
    : Math.max(0, ...Object.entries(since).map(([version, has]) => (has(payload) ? Number(version) : 0)))

const newestOf = <P>(since: Since<P>): number =>
  typeof since === "number" ? since : Math.max(0, ...Object.keys(since).map(Number))

export const rowKind = <P>(definition: RowDefinition<P>): RowKind<P> => {
  const {
    type,
    payload: schema,
    changesRules,
    since = 0,
    applyFunction = null,
    derive,
    applyToProjection,
    filledIn = [],
    endsQueues,
    shutsOut,
    erasedPositions,
    redact,
  } = definition
  const read = Schema.decodeUnknownSync(schema)
  const newestSince = newestOf(since)
  const needs = (payload: P) => (newestSince === 0 ? {} : { sinceVersion: sinceOf(since, payload) })
  const encode = Schema.encodeSync(schema, { onExcessProperty: "error" })
  const readStrictly = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return {
    type,
    applyFunction,
    payload: schema,
    filledIn,
    newestSince,
    read,
    change: (payload, audience, { width = 1, sideData } = {}) => ({
      type,
      payload: encode(payload),
      audience,
      width,
      changesRules,
      table: applyFunction,
      beside: derive === undefined ? (sideData ?? null) : { ...derive(payload), ...sideData },
      ...needs(payload),
    }),
    tell: (payload, audience, { width = 1 } = {}) => ({
      type,
      payload: { ...encode(payload), told: true },
      audience,
      width,
      changesRules: false,
      table: null,
      beside: null,
      ...needs(payload),
    }),
    fault: ({ told: _told, ...payload }) => {
      const decoded = readStrictly(payload)
      return Result.isFailure(decoded) ? String(decoded.failure) : undefined
    },
    applyToProjection: (realm, row) => {
      if (applyToProjection !== undefined && !isTold(row)) applyToProjection(realm, read(row.payload), row.position)
    },
    endsQueues: (row) => (endsQueues === undefined || isTold(row) ? nobody : endsQueues(read(row.payload))),
    erasedPositions: (row) =>
      erasedPositions === undefined || isTold(row) ? nowhere : erasedPositions(read(row.payload)),
    redact: (row) => ({ ...row, content: null, payload: redact?.(row.payload) ?? row.payload }),
    shutsOut: (row) => (shutsOut === undefined || isTold(row) ? undefined : shutsOut(read(row.payload))),
  }
}

/**
 * The data on which the wire form of an event may depend beside its row: they have a history, so that the form at its
 * position never changes.
 */
export type RealmHistory = Pick<
  Realm,
  | "id"
  | "host"
  | "usesGravatar"
  | "createdAt"
  | "subscriptions"
  | "activeAt"
  | "memberAt"
  | "administratorAt"
  | "memberThroughout"
  | "part"
  // Of these only whether a guest is limited, which does not change while they have a queue, and who is a bot.
  | "settings"
  | "users"
  | "roles"
>

/** The wire form of an event. */
type WireDefinition<P> = {
  /** The Schemas of the events on the wire, with `id` and `type`, by their `op`; "" for an event without one. */
  readonly events: WireKeys
  /**
   * The sections of register that hold what these rows change: if the reply has them, the queue skips the rows that the
   * reply contains already (I13). A function of what the client asked for, if that makes a difference.
   */
  readonly sections?: ReadonlyArray<string> | ((view: SectionView) => ReadonlyArray<string>)
} & (
  | {
      /** For events that are the same for every receiver. */
      readonly wire: (payload: P, body: EventBody) => ReadonlyArray<WireEvent>
    }
  | {
      /** For events that depend on the client, the user or the past up to the event, and on nothing else. */
      readonly wireForm: (past: RealmHistory, read: (payload: JsonObject) => P) => EventType
    }
)

/** A kind as a definition lists it. */
export interface EventKind extends UntypedRowKind {
  readonly events: WireKeys
  readonly wireForm: (past: RealmHistory) => EventType
  readonly sections: (view: SectionView) => ReadonlyArray<string>
}

/** Adds the wire form to a kind of row. */
export const wireKind = <P>(row: RowKind<P>, shown: WireDefinition<P>): RowKind<P> & EventKind => {
  const { events, sections = [] } = shown
  return {
    ...row,
    events,
    wireForm: (past) =>
      "wire" in shown
        ? uniformType((body) => shown.wire(row.read(body.payload), body))
        : shown.wireForm(past, row.read),
    sections: typeof sections === "function" ? sections : () => sections,
  }
}

/** Makes the kind of an event whose rows only one capability writes. */
export const eventKind = <P>(definition: RowDefinition<P> & WireDefinition<P>): RowKind<P> & EventKind =>
  wireKind(rowKind(definition), definition)
