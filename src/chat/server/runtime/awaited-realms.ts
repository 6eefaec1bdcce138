/**
 * Organizations to which many clients are about to return are loaded before the server listens: their clients would else
 * wait in a line while the processor loads what all of them need.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Unavailable } from "../../../api/errors.ts"
import { Database } from "../../../db/database.ts"
import { Uptime } from "../../../db/uptime.ts"
import { findAwaited } from "../../../events/queues/queue-store.ts"
import { Realms } from "../../ground/realm/realms.ts"

/** Queues that have not expired. An organization with fewer is loaded by the first request. */
const least = 100
/** Any others are loaded by their first request, so that a start with many organizations does not take long. */
const most = 8
const longest = "10 seconds"

const what = "an organization whose clients return was not loaded before the start"
const notLoaded = (cause: Cause.Cause<Unavailable>) => Effect.logWarning(what, cause)

/** Loads them. One that fails here will fail for requests too, which can be answered: the others are served. */
export const loadAwaited: Effect.Effect<void, never, Database | Uptime | Realms> = Effect.gen(function* () {
  const database = yield* Database
  const realms = yield* Realms
  const { running } = yield* Uptime
  yield* realms.refresh()
  const awaited = yield* findAwaited(database, running(), { least, most })
  for (const realm of awaited) yield* Effect.catchCause(realms.get(realm), notLoaded)
}).pipe(
  Effect.timeoutOption(longest),
  Effect.flatMap((loaded) => (Option.isNone(loaded) ? Effect.logWarning(`${what} within ${longest}`) : Effect.void)),
  Effect.catchCause(notLoaded),
)
