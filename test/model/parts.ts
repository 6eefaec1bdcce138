/** The parts of a process as the program makes them. */
import { makeEncoder } from "../../src/events/encode.ts"
import { lastIdOf } from "../../src/events/event.ts"
import { Hub } from "../../src/events/hub.ts"
import { Queue } from "../../src/events/queue.ts"
import { makeReader } from "../../src/events/reader.ts"
import { Ring } from "../../src/events/ring.ts"
import { ModelRealm } from "./model-realm.ts"
import type { Parts } from "./process.ts"

export const soundParts: Parts = {
  realm: (journal) => new ModelRealm(journal),
  ring: (limitBytes) => new Ring(limitBytes),
  encoder: makeEncoder,
  hub: (options) => new Hub(options),
  reader: makeReader,
  queue: (spec, host, cursor) => new Queue(spec, host, cursor),
  page: (page) => page,
  spec: (stored) => ({
    id: stored.id,
    user: stored.user,
    rendering: stored.rendering,
    start: lastIdOf(stored.saw, stored.sawWidth),
    openToPublic: stored.openToPublic,
    wants: (type) => stored.types === null || stored.types.includes(type),
    accepts: (row) => {
      if (row.position > stored.saw && row.position <= stored.took && stored.contained.includes(row.type)) return false
      return stored.narrow === null || row.type !== "message" || row.payload["sender"] === stored.narrow
    },
    idleMilliseconds: 600_000,
  }),
}
