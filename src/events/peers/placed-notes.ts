/**
 * Notes about an organization as it was at a position of its log. Whoever hears one waits until its own projection has come that
 * far: so nobody is told by it of what had been taken from them before. What must wait too long is forgotten.
 */
import * as Schema from "effect/Schema"
import type { NoteListener, Notes } from "./notes.ts"

const mostWaiting = 1000
const patienceMilliseconds = 1000

const isPlaced = Schema.is(Schema.Tuple([Schema.Int, Schema.Unknown]))

export interface PlacedNotesOptions {
  readonly peers: Notes
  /** The newest position that the projection has. */
  readonly position: () => number
  readonly elapsed: () => number
}

export interface PlacedNotes extends Notes {
  /** The projection has gone on. */
  readonly moved: () => void
}

interface Waiting {
  readonly position: number
  readonly since: number
  readonly hear: () => void
}

export const makePlacedNotes = ({ peers, position, elapsed }: PlacedNotesOptions): PlacedNotes => {
  let waiting: Array<Waiting> = []

  /** Leaves those who may wait on. */
  const dropLate = (): void => {
    const now = elapsed()
    waiting = waiting.filter(({ since }) => now - since <= patienceMilliseconds)
  }

  const listen =
    (listener: NoteListener): NoteListener =>
    (placed, from) => {
      if (!isPlaced(placed)) return
      const [at, body] = placed
      if (at <= position()) return listener(body, from)
      if (waiting.length >= mostWaiting) dropLate()
      if (waiting.length < mostWaiting)
        waiting.push({ position: at, since: elapsed(), hear: () => listener(body, from) })
    }

  return {
    tell: (subject, body) => peers.tell(subject, [position(), body]),
    hear: (subject, listener) => peers.hear(subject, listen(listener)),
    moved: () => {
      if (waiting.length === 0) return
      dropLate()
      const reached = waiting.filter((each) => each.position <= position())
      if (reached.length === 0) return
      waiting = waiting.filter((each) => each.position > position())
      for (const { hear } of reached) hear()
    },
  }
}
