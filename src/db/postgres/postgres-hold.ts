/**
 * One server per PostgreSQL database: a session's advisory lock on a connection of its own, so that it ends with the
 * process. When that connection is lost the lock is requested until it is granted: this server's own dead session
 * may keep it for a while. Meanwhile a second server cannot write, because every commit names the holder that the
 * database expects.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DatabaseHeld, type DatabaseUnusable } from "../open-failures.ts"
import { addressOf, openAtStart } from "./postgres.ts"
import { ConnectionLost, openConnections, type PostgresConnections } from "./postgres-connections.ts"

/** Any pair that nothing else uses: advisory locks are per database. Who serves it alone has it, or who do together (postgres-session.ts). */
export const lockKeys = "1886413932, 1702453601"
const tryLock = `select pg_try_advisory_lock(${lockKeys}) as held`

/** A killed predecessor's session needs a moment to end. */
const patienceMs = 3_000
const betweenTriesMs = 100
const retakeMs = 500
const answerMs = 5_000

/** Holds the database at `url` until the scope closes. */
export const holdPostgres = (url: string): Effect.Effect<void, DatabaseHeld | DatabaseUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    openAtStart(url, () => hold(url)).pipe(
      Effect.flatMap((release) =>
        release === null
          ? Effect.fail(new DatabaseHeld({ message: `Another server is using the database at ${addressOf(url)}` }))
          : Effect.succeed(release),
      ),
    ),
    (release) => Effect.promise(release),
  ).pipe(Effect.asVoid)

/** The function that releases the lock; null if another session has it. */
const hold = async (url: string): Promise<(() => Promise<void>) | null> => {
  let current: PostgresConnections | null = null
  let retaking: NodeJS.Timeout | undefined
  let released = false

  /** Takes the lock on a new connection; true if it was free. From then on a lost connection leads to `retake`. */
  const take = async (patience: number): Promise<boolean> => {
    const state = { held: false, lost: false }
    const connections = await openConnections({
      url,
      size: 1,
      openWithinMs: answerMs,
      statementMs: answerMs,
      onLost: () => {
        state.lost = true
        current = null
        if (state.held) retake()
      },
    })
    const giveUpAt = performance.now() + patience
    try {
      for (;;) {
        const held = await asked(connections)
        if (state.lost) throw new ConnectionLost("lost with the lock")
        if (held && !released) {
          state.held = true
          current = connections
          return true
        }
        if (held || performance.now() > giveUpAt) break
        await new Promise((resolve) => setTimeout(resolve, betweenTriesMs))
      }
    } catch (error) {
      connections.drop("the lock could not be asked for")
      throw error
    }
    await connections.end()
    return false
  }

  const retake = (): void => {
    if (released) return
    retaking = setTimeout(() => {
      take(0).then(
        (held) => (held ? undefined : retake()),
        () => retake(),
      )
    }, retakeMs)
  }

  if (!(await take(patienceMs))) return null
  return async () => {
    released = true
    clearTimeout(retaking)
    await current?.end()
  }
}

const asked = async (connections: PostgresConnections): Promise<boolean> => {
  const watchdog = setTimeout(() => connections.drop("the lock's connection does not answer"), answerMs)
  try {
    const [row] = await connections.run(tryLock, [])
    return row?.["held"] === true
  } finally {
    clearTimeout(watchdog)
  }
}
