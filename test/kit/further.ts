/**
 * Event types and commands that exist only in tests: a row that some clients see as several events (no event of the
 * program is wide yet), an event as large as the test wants, rows that cannot be applied or shown, items of lists that
 * only their owners see, and calls that sleep or that PostgreSQL refuses.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { eventKind } from "../../src/chat/ground/kinds/event-kind.ts"
import type { Realm } from "../../src/chat/ground/realm/realm.ts"
import { plainEvent } from "../../src/chat/ground/wire/wire-values.ts"
import { type Command, call, done } from "../../src/events/command.ts"
import { isStored } from "../../src/events/event.ts"
import type { Json, JsonObject } from "../../src/json.ts"
import { notes, others } from "./further-lists.ts"
import type { TestServer } from "./with-server.ts"

const anything = Schema.Record(Schema.String, Schema.Json)

/** A wide row: one event for clients with bulk_message_deletion, else one per item, with the index of the item as n. */
const wide = eventKind({
  type: "test_wide",
  payload: anything,
  changesRules: false,
  events: {
    "": Schema.Union([
      plainEvent("test_wide", { name: Schema.Json, width: Schema.Int }),
      plainEvent("test_wide", { name: Schema.Json, item: Schema.Int }),
    ]),
  },
  wireForm: () => ({
    personal: false,
    variant: (_body, rendering) => String(rendering.bulkDeletion),
    wire: (body, rendering) => {
      const width = isStored(body) ? body.width : 1
      const name = body.payload["name"] ?? ""
      if (rendering.bulkDeletion) return [{ n: 0, event: { type: "test_wide", name, width } }]
      return Array.from({ length: width }, (_, n) => ({ n, event: { type: "test_wide", name, item: n } }))
    },
  }),
})

/** An event that is large on the wire only: its row holds just the size. */
const large = eventKind({
  type: "test_large",
  payload: anything,
  changesRules: false,
  events: { "": plainEvent("test_large", { name: Schema.Json, filler: Schema.String }) },
  wire: ({ name = "", size = 0 }) => [{ n: 0, event: { type: "test_large", name, filler: "x".repeat(Number(size)) } }],
})

const throwIf = (isSo: Json | undefined, what: string): void => {
  if (isSo === true) throw new Error(what)
}

/** A row that the projection cannot apply, or that no client can be shown, as its payload has it. */
const brittle = eventKind({
  type: "test_brittle",
  payload: anything,
  changesRules: false,
  events: { "": plainEvent("test_brittle", { name: Schema.Json }) },
  applyToProjection: (_realm, { inapplicable }) => throwIf(inapplicable, "this row cannot be applied"),
  wire: ({ name = "", unreadable }) => {
    throwIf(unreadable, "this row cannot be shown")
    return [{ n: 0, event: { type: "test_brittle", name } }]
  },
})

/** Of its rows, those with a text need programs that know version 57 of the tables. */
export const fruitKind = eventKind({
  type: "test_fruit",
  payload: Schema.Struct({ name: Schema.String, text: Schema.optionalKey(Schema.String) }),
  changesRules: false,
  since: { 57: ({ text }) => text !== undefined },
  events: { "": plainEvent("test_fruit", { name: Schema.String }) },
  wire: ({ name }) => [{ n: 0, event: { type: "test_fruit", name } }],
})

/** For the option `further` of `withServer`. */
export const further = {
  sql: ["test/kit/further.sql"],
  kinds: [wide, large, brittle, fruitKind, notes.kind, others.kind],
}

export interface Emit {
  readonly type: "test_wide" | "test_large" | "test_brittle"
  readonly payload: JsonObject
  readonly audience?: JsonObject
  readonly width?: number
  readonly rules?: boolean
  /** Seconds that the call holds the log's lock before it writes. */
  readonly seconds?: number
  /** An advisory lock that the call waits for while it holds the log's lock. */
  readonly gate?: number
  /** PostgreSQL refuses the call with this message. */
  readonly refuse?: string
}

export const emitArgs = ({ type, payload, audience, width, rules, seconds, gate, refuse }: Emit): JsonObject => ({
  type,
  payload,
  audience: audience ?? { kind: "realm" },
  width: width ?? 1,
  rules: rules ?? false,
  ...(seconds === undefined ? {} : { seconds }),
  ...(gate === undefined ? {} : { gate }),
  ...(refuse === undefined ? {} : { refuse }),
})

/** The position in an outcome of test_emit. */
export const positionIn = (outcome: Json | undefined): number => {
  if (!Predicate.isObject(outcome)) throw new Error(`test_emit answered ${JSON.stringify(outcome)}`)
  return Number(outcome["position"])
}

/** A command that is always allowed; answers the position of its row. */
export const emitCommand = (emit: Emit): Command<Realm, number> => ({
  judge: () => call("test_emit_v1", emitArgs(emit), emit.rules ?? false, (outcome) => done(positionIn(outcome))),
})

/** Commits a row of a test's type through the server's own writer. */
export const emit = (server: TestServer, row: Emit): Promise<number> =>
  server.run(server.realm.writer.submit(emitCommand(row)))
