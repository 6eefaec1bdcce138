/**
 * Organizations that are loaded before the server says that it is ready: the only one there is, without which nothing can be
 * answered, and those to which many clients are about to return. Their clients would else wait in a line while the
 * processor loads what all of them need.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Unavailable } from "../../../api/errors.ts"
import { Database } from "../../../db/database.ts"
import { Uptime } from "../../../db/uptime.ts"
import { findAwaited } from "../../../events/queue-store.ts"
import { listRealms } from "../../ground/realm/realm-store.ts"
import { Realms } from "../../ground/realm/realms.ts"

/** Queues that have not expired. An organization with fewer is loaded by the first request. */
const least = 100
/** Any others are loaded by their first request, so that a start with many organizations does not take long. */
const most = 8
const longest = "10 seconds"

const what = "an organization was not loaded before the start"
const notLoaded = (cause: Cause.Cause<Unavailable>) => Effect.logWarning(what, cause)

/** The only organization there is; null: there are none, or several. */
const findLone = Effect.gen(function* () {
  const [first, ...others] = yield* listRealms(yield* Database)
  return first !== undefined && others.length === 0 ? first.id : null
})

const loadBusiest = Effect.gen(function* () {
  const database = yield* Database
  const realms = yield* Realms
  const { running } = yield* Uptime
  const awaited = yield* findAwaited(database, running(), { least, most })
  for (const realm of awaited) yield* Effect.catchCause(realms.get(realm), notLoaded)
}).pipe(
  Effect.timeoutOption(longest),
  Effect.flatMap((loaded) => (Option.isNone(loaded) ? Effect.logWarning(`${what} within ${longest}`) : Effect.void)),
)

/**
 * Loads them, the only one however long it takes. One that fails here will fail for requests too, which can be answered: the
 * others are served.
 */
export const loadAwaited: Effect.Effect<void, never, Database | Uptime | Realms> = Effect.gen(function* () {
  const realms = yield* Realms
  yield* realms.refresh()
  const lone = yield* findLone
  if (lone === null) yield* loadBusiest
  else yield* realms.get(lone)
}).pipe(Effect.catchCause(notLoaded))
