/**
 * Compresses large answers, in the threads that files are read in, so that the event loop does not wait: a piece at a
 * time, in turns by requester. Shared pieces are compressed once, for as long as somebody keeps them. Pieces with keys,
 * and small ones, are not. Used by exchange.ts.
 */
import { availableParallelism } from "node:os"
import { constants, deflateRaw } from "node:zlib"
import * as Effect from "effect/Effect"
import { FairTurns, type TurnRequest } from "../../fairness/fair-turns.ts"
import { type JsonPiece, type JsonPieces, SecretPiece, SharedPiece } from "../../json-pieces.ts"
import { type DeflatedPiece, deflatedAs, GzipFile } from "./gzip.ts"

/** Larger answers are compressed. */
export const compressedAbove = 16 * 1024
/** Smaller pieces are stored as they are: compressing them anew for each answer would cost more than it saves. */
const leastPiece = 8 * 1024
const leastShared = 512
/** One processor is left for all else, and so are two of the four threads. */
const atOnce = availableParallelism() > 2 ? 2 : 1
/** From 1, the fastest, to 9. Shared pieces are compressed once and sent often. */
const levelOfShared = 6
const levelOfOwn = 3

/** Deflates a text so that any other may follow: without a last block, to the end of a byte. */
export type Deflate = (text: Uint8Array, level: number) => Effect.Effect<Uint8Array>

const deflate: Deflate = (text, level) =>
  Effect.callback((resume) => {
    deflateRaw(text, { level, finishFlush: constants.Z_FULL_FLUSH }, (fault, bytes) =>
      resume(fault === null ? Effect.succeed(bytes) : Effect.die(fault)),
    )
  })

export interface Compressor {
  /**
   * A gzip file of the pieces; null once `isWanted` says that nobody waits for it any more. Ends at once where all of
   * them are at hand.
   */
  readonly gzip: (
    requester: string,
    pieces: JsonPieces,
    isWanted: () => boolean,
  ) => Effect.Effect<ReadonlyArray<Uint8Array> | null>
}

const isStored = (piece: JsonPiece): boolean =>
  piece instanceof SecretPiece ||
  (piece instanceof SharedPiece ? piece.bytes.length < leastShared : piece.length < leastPiece)

/** `work`: what deflates; tests count with it. */
export const makeCompressor = (work: Deflate = deflate): Compressor => {
  const unbounded = Number.POSITIVE_INFINITY
  const turns = new FairTurns({ capacity: atOnce, perOwner: atOnce, ownerWaiting: unbounded, allWaiting: unbounded })
  const made = new WeakMap<SharedPiece, DeflatedPiece>()

  const enter = (owner: string): Effect.Effect<TurnRequest> =>
    Effect.callback((resume) => {
      const turn: TurnRequest = { owner, cost: 1, begin: () => resume(Effect.succeed(turn)) }
      turns.enter(turn)
    })

  const make = Effect.fnUntraced(function* (piece: Uint8Array | SharedPiece) {
    if (!(piece instanceof SharedPiece)) return deflatedAs(piece, yield* work(piece, levelOfOwn))
    const known = made.get(piece)
    if (known !== undefined) return known
    const deflated = deflatedAs(piece.bytes, yield* work(piece.bytes, levelOfShared))
    made.set(piece, deflated)
    return deflated
  })

  /** In a turn: another one may have compressed the piece while this one waited, or nobody may want it any more. */
  const makeInTurn = (owner: string, piece: Uint8Array | SharedPiece, isWanted: () => boolean) =>
    Effect.flatMap(enter(owner), (turn) =>
      Effect.ensuring(
        Effect.suspend(() => (isWanted() ? make(piece) : Effect.succeed(null))),
        Effect.sync(() => turns.leave(turn)),
      ),
    )

  return {
    gzip: Effect.fnUntraced(function* (requester, pieces, isWanted) {
      const file = new GzipFile()
      for (const piece of pieces) {
        if (piece instanceof SecretPiece || isStored(piece)) {
          file.store(piece instanceof Uint8Array ? piece : piece.bytes)
          continue
        }
        const known = piece instanceof SharedPiece ? made.get(piece) : undefined
        const deflated = known ?? (yield* makeInTurn(requester, piece, isWanted))
        if (deflated === null) return null
        file.add(deflated)
      }
      return file.end()
    }),
  }
}
