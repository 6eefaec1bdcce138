/**
 * The processes that serve one database together, as one of them sees them: who they are, what the database says once a second,
 * and the bus between them. Only PostgreSQL has one (postgres-cluster.ts), and only where an operator wants it.
 */
import type * as Effect from "effect/Effect"
import type { Unavailable } from "../api/errors.ts"
import type { Bus } from "./bus.ts"
import type { DatabaseUnusable } from "./open-failures.ts"

export interface Process {
  readonly id: string
  readonly address: string
  readonly program: string
  /** The version of the tables that its program knows (sql/migrations.ts). */
  readonly speaks: number
  readonly secretFingerprint: string
}

/** What a process says of itself when it begins to serve. */
export type About = Omit<Process, "id" | "speaks">

/** What the database says once a second. */
export interface Tick {
  /** Those that have said that they live within 15 seconds, this one included. */
  readonly processes: ReadonlyArray<Process>
  /** Another text: there is another organization, or one less. */
  readonly organizations: string
  /** Heads of logs that have gone on beyond what `positions` said, by organization. */
  readonly heads: Readonly<Record<string, number>>
  /**
   * The version of the tables that all processes know that have said within a minute that they live; time in which none said so does
   * not count. It never falls: an older program than that may serve no more, because there may be rows that it does not know.
   */
  readonly speaks: number
  /** How many programs these processes are of. */
  readonly programs: number
}

/** Why a process may serve no more: others have left it behind, and there may be rows that it does not know. */
export const outdated = "A newer program serves this database, and this one may not any more: start the newer one"

export interface ClusterListener {
  /** The newest position that this process has of each organization. */
  readonly positions: () => Readonly<Record<string, number>>
  readonly onTick: (tick: Tick) => void
}

export interface Cluster {
  /** The name by which all of them commit. */
  readonly name: string
  /** This process's own. */
  readonly process: string
  /** Null: only the tick tells what has happened. */
  readonly bus: Bus | null
  /** Milliseconds that servers have run on this database: what the last tick answered, and the time since. Never falls. */
  readonly running: () => number
  /** The database's time in milliseconds, with fractions: its own of the tick with the shortest round trip, and the time since. */
  readonly now: () => number
  /** Whether this process has just been stopped for seconds: what waited for it is carried out only now. */
  readonly wasStopped: () => boolean
  /** The version of the tables that this process knows. */
  readonly version: number
  /** What all of them know, as the last tick said it. */
  readonly speaks: () => number
  /** Whether all that may live are of this program. */
  readonly isOneProgram: () => boolean
  /** False: for so long that others may take this process for one that is gone, and write what it does not know. */
  readonly isCounted: () => boolean
  /** Milliseconds since the database has last answered that this process lives. */
  readonly sinceTick: () => number
  /** What was said last; null: nothing yet. */
  readonly lastTick: () => Tick | null
  /** Those that serve now beside this one, when it joined. */
  readonly othersAtStart: number
  /** Lets others join from here on, and answers those that serve. Once, when it is known that this process may serve. */
  readonly begin: (about: About) => Effect.Effect<ReadonlyArray<Process>, Unavailable | DatabaseUnusable>
  /** Says that this process serves no more; false: the database could not be told, and the others take it for one that lives, for 15 seconds. */
  readonly leave: Effect.Effect<boolean>
  readonly listen: (listener: ClusterListener) => void
}
