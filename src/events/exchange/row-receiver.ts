/**
 * One organization of this process beside the others that serve it: takes the rows that they tell of, in order, and reads from
 * the log what was lost on the way. Rows are facts of the log, so late, doubled and reordered ones do no harm. Made by exchange.ts.
 */
import * as Effect from "effect/Effect"
import type { LogRow } from "../event.ts"
import type { RealmFeed } from "../feed.ts"

export interface RowReceiverOptions {
  readonly feed: Pick<RealmFeed, "position" | "advance">
  /** Brings the projection up to the log's head. */
  readonly fresh: Effect.Effect<void, unknown>
  readonly onFault: (fault: unknown) => void
}

interface Piece {
  readonly first: number
  readonly rows: ReadonlyArray<LogRow>
  readonly bytes: number
}

/** Pieces that wait for one before them, and for how long. */
const mostPieces = 64
const mostBytes = 1024 * 1024
const gapMilliseconds = 20
/** How long a commit of this process waits for rows of others that are on their way. */
const patienceMilliseconds = 2

export class RowReceiver {
  readonly #options: RowReceiverOptions
  #waiting: Array<Piece> = []
  #bytes = 0
  #timer: NodeJS.Timeout | null = null
  #isReading = false
  /** Those who wait for a position. */
  readonly #awaiting = new Set<{ readonly position: number; readonly go: () => void }>()

  constructor(options: RowReceiverOptions) {
    this.#options = options
  }

  /** Rows of another process, the first of them at the position `first`. */
  take(first: number, rows: ReadonlyArray<LogRow>, bytes: number): void {
    const { feed } = this.#options
    if (first > feed.position + 1) {
      this.#waiting.push({ first, rows, bytes })
      this.#bytes += bytes
      if (this.#waiting.length > mostPieces || this.#bytes > mostBytes) this.#read()
      else this.#timer ??= setTimeout(() => this.#read(), gapMilliseconds).unref()
      return
    }
    this.#advance(rows)
    this.#takeWaiting()
    this.#wake()
  }

  /** The log has this position by now. */
  hear(head: number): void {
    if (head > this.#options.feed.position) this.#read()
  }

  /** Waits a moment for a position. */
  readonly awaitRows = (position: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (this.#options.feed.position >= position) return resume(Effect.void)
      const entry = {
        position,
        go: () => {
          clearTimeout(late)
          this.#awaiting.delete(entry)
          resume(Effect.void)
        },
      }
      const late = setTimeout(entry.go, patienceMilliseconds)
      this.#awaiting.add(entry)
    })

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#drop()
    for (const { go } of this.#awaiting) go()
  }

  #advance(rows: ReadonlyArray<LogRow>): void {
    try {
      this.#options.feed.advance(rows)
    } catch (fault) {
      // The feed has told that this process must end.
      this.#options.onFault(fault)
    }
  }

  /** Takes what has waited for the rows that have come. */
  #takeWaiting(): void {
    if (this.#waiting.length === 0) return
    const { feed } = this.#options
    this.#waiting.sort((one, other) => one.first - other.first)
    for (
      let piece = this.#waiting[0];
      piece !== undefined && piece.first <= feed.position + 1;
      piece = this.#waiting[0]
    ) {
      this.#waiting.shift()
      this.#bytes -= piece.bytes
      this.#advance(piece.rows)
    }
    if (this.#waiting.length === 0 && this.#timer !== null) {
      clearTimeout(this.#timer)
      this.#timer = null
    }
  }

  #wake(): void {
    const { position } = this.#options.feed
    for (const entry of this.#awaiting) if (entry.position <= position) entry.go()
  }

  #drop(): void {
    this.#waiting = []
    this.#bytes = 0
    this.#timer = null
  }

  /** What was lost is read from the log, and what has waited with it. Where the database is away the next tick tells again. */
  #read(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#drop()
    if (this.#isReading) return
    this.#isReading = true
    const done = Effect.sync(() => {
      this.#isReading = false
      this.#wake()
    })
    Effect.runFork(Effect.ensuring(Effect.ignore(this.#options.fresh), done))
  }
}
