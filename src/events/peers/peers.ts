/**
 * The other processes that serve the same database, as one organization of this process sees them: what this process has
 * committed is told to them, and what they have committed is awaited before something is answered that depends on it.
 * Where a process is alone every part does nothing, so the same code runs and nothing is paid for it.
 */
import * as Effect from "effect/Effect"
import { Unavailable } from "../../api/errors.ts"
import { type Notes, noNotes } from "./notes.ts"

/** What a commit has added to the log. */
export interface Committed {
  /** The rows in order; it may have added none. */
  readonly rows: ReadonlyArray<{ readonly position: number }>
  /** Position of the last one. */
  readonly head: number
  /** The rows as JSON texts, with `betweenRows` (log.ts) between them. */
  readonly text: string
}

/** This process among those that serve the database. */
export interface OwnProcess {
  /** The name that it has there until it ends. */
  readonly name: string
  /** The database's time in milliseconds, with fractions, as well as this process knows it. */
  readonly now: () => number
  /**
   * Whether this process has just been stopped for seconds, by an operator or a machine that slept: what clients had sent before is
   * carried out only now, and they may be somewhere else.
   */
  readonly wasStopped: () => boolean
  /** Names of the processes that have said within 15 seconds that they live. */
  readonly living: () => ReadonlyArray<string>
}

export interface Peers extends Notes {
  readonly isAlone: boolean
  /**
   * The version of the tables that all processes know: what came later is not written yet, because others could not follow it.
   * Infinite where all know as much as this one.
   */
  readonly speaks: () => number
  /** Null where it is alone. */
  readonly own: OwnProcess | null
  /**
   * Brings the projection up to all that was committed, by any process, before this is run. `Unavailable` where the database
   * cannot say what that is.
   */
  readonly fresh: Effect.Effect<void, Unavailable>
  /** False: the others take this process for one that is gone, and may write what it does not know. It answers nothing then. */
  readonly isCounted: () => boolean
  /** Tells the others what this process has committed. Nothing waits for it, and nothing depends on it. */
  readonly publish: (committed: Committed) => void
  /** Waits a moment for rows that are on their way here, up to a position. */
  readonly awaitRows: (position: number) => Effect.Effect<void>
}

/** Why a process that is not counted refuses. */
const uncounted = new Unavailable({ reason: "this process could not tell the database for a while that it lives" })

/** Fails where this process is not counted. */
export const whileCounted = <A>(
  isCounted: () => boolean,
  act: Effect.Effect<A, Unavailable>,
): Effect.Effect<A, Unavailable> => Effect.suspend(() => (isCounted() ? act : Effect.fail(uncounted)))

/** Why nothing can be committed now; null: it can. */
export const findFault = (
  { isStuck }: { readonly isStuck: boolean },
  { isCounted }: Pick<Peers, "isCounted">,
): Unavailable | null =>
  isStuck ? new Unavailable({ reason: "the server cannot follow its log" }) : isCounted() ? null : uncounted

/** Nobody else writes: the projection has what was committed, and nobody has to be told. */
export const alone: Peers = {
  ...noNotes,
  isAlone: true,
  speaks: () => Number.POSITIVE_INFINITY,
  own: null,
  fresh: Effect.void,
  isCounted: () => true,
  publish: () => {},
  awaitRows: () => Effect.void,
}
