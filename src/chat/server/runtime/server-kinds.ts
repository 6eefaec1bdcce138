/** The server's own kinds of events: no-op rows, which only raise the newest position, and heartbeats. */
import * as Schema from "effect/Schema"
import { toServers } from "../../../events/audience.ts"
import { type Command, change } from "../../../events/command.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { plainEvent } from "../../ground/wire/wire-values.ts"

const nothing = Schema.Struct({})

/** A no-op row, which no client receives. */
export const noopKind = eventKind({
  type: "noop",
  payload: nothing,
  changesRules: false,
  events: {},
  wire: () => noEvents,
})

/** Appends a no-op row: ephemerals of a new process need a new position, so that no id is given twice. */
export const appendNoop: Command<Realm, void> = { judge: () => change([noopKind.change({}, toServers)]) }

/** Never stored. Its id tells the client of a quiet queue how far the queue has come. */
export const heartbeatKind = eventKind({
  type: "heartbeat",
  payload: nothing,
  changesRules: false,
  events: { "": plainEvent("heartbeat", {}) },
  wire: () => oneEvent({ type: "heartbeat" }),
})
