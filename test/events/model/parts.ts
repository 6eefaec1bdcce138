/** The parts of a process as the program makes them, without a planted fault. */
import { makeEncoder } from "../../../src/events/encode.ts"
import { lastIdOf } from "../../../src/events/event.ts"
import { DeliveryHub } from "../../../src/events/hub.ts"
import { makeReader } from "../../../src/events/past/past-reader.ts"
import { RowPages } from "../../../src/events/past/row-pages.ts"
import { RowRing } from "../../../src/events/past/row-ring.ts"
import { Queue } from "../../../src/events/queue.ts"
import type { QueueClientOptions } from "../../../src/events/queue-spec.ts"
import type { Description } from "./expected.ts"
import { ModelRealm } from "./model-realm.ts"
import type { Parts } from "./process.ts"

const known = new Map<string, QueueClientOptions>()

/** Queues of clients that asked for the same share one object, as in the program: the hub compares the pointers. */
const clientOptionsOf = ({ rendering, openToPublic, types, narrow }: Description): QueueClientOptions => {
  const key = JSON.stringify([rendering, openToPublic, types, narrow])
  const clientOptions = known.get(key) ?? {
    rendering,
    openToPublic,
    wants: (type) => types === null || types.includes(type),
    terms: narrow === null ? 0 : 1,
    passes: (row) => narrow === null || row.type !== "message" || row.payload["sender"] === narrow,
  }
  known.set(key, clientOptions)
  return clientOptions
}

export const soundParts: Parts = {
  realm: (journal) => new ModelRealm(journal),
  ring: (limitBytes) => new RowRing(limitBytes),
  pages: (options) => new RowPages(options),
  encoder: makeEncoder,
  hub: (options) => new DeliveryHub(options),
  reader: makeReader,
  queue: (spec, host, cursor) => new Queue(spec, host, cursor),
  page: (page) => page,
  spec: (stored) => ({
    id: stored.id,
    user: stored.user,
    clientOptions: clientOptionsOf(stored),
    start: lastIdOf(stored.saw, stored.sawWidth),
    contained: { after: stored.saw, through: stored.took, types: new Set(stored.contained) },
    idleMilliseconds: 600_000,
  }),
}
