/** The kinds of events that are nobody's but the server's: rows that only move the newest position on, and heartbeats. */
import * as Schema from "effect/Schema"
import { toServers } from "../../events/audience.ts"
import { type Command, change } from "../../events/command.ts"
import { eventKind } from "../kinds/event-kind.ts"
import { none, one } from "../kinds/event-shape.ts"
import type { Realm } from "../realm/realm.ts"
import { plainEvent } from "../wire/wire-values.ts"

const nothing = Schema.Struct({})

/** A row that nobody receives. */
export const noopKind = eventKind({ type: "noop", payload: nothing, changesRules: false, events: {}, wire: () => none })

/** Ephemerals need a new position, so that they never reuse an id. */
export const appendNoop: Command<Realm, void> = { judge: () => change([noopKind.change({}, toServers)]) }

/** Never stored: it says how far a quiet queue has come. */
export const heartbeatKind = eventKind({
  type: "heartbeat",
  payload: nothing,
  changesRules: false,
  events: { "": plainEvent("heartbeat", {}) },
  wire: () => one({ type: "heartbeat" }),
})
