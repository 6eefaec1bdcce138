/**
 * Looks at uploaded pictures, and makes their thumbnails, one at a time in threads of the runtime's pool. Whose turn it is
 * to be looked at goes by owner; thumbnails are made beside all else, and after each follows a rest as long as it took.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../clock.ts"
import { awaitTurn, FairTurns, makeInTurns } from "../../fair-turns.ts"
import { Refusals } from "../../refusals.ts"
import { loadSharp } from "./decoder.ts"
import { describePicture, shrinkPicture, type Thumbnail } from "./shrink.ts"
import type { Picture } from "./thumbnail-formats.ts"

/** Reads the bytes of a file, when its turn has come; null where there is none. */
type Read<E> = Effect.Effect<Uint8Array | null, E>

interface PicturesShape {
  /**
   * What a file is as a picture; null for what is none, is too large to be decoded, or does not get its turn in time.
   * `owner`: who uploads it, as turns are counted.
   */
  readonly describe: <E>(owner: string, read: Read<E>) => Effect.Effect<Picture | null, E>
  /** The thumbnails of a picture; null where it cannot be decoded. `owner`: its organization, as turns are counted. */
  readonly shrink: <E>(owner: string, read: Read<E>) => Effect.Effect<ReadonlyArray<Thumbnail> | null, E>
}

/** Uploads that wait here have turns of their own, so these are never too many. */
const lookLimits = { capacity: 1, perOwner: 1, ownerWaiting: 32, allWaiting: 256 }
const longestLookWait = 5000
/** Each organization has one in the line. */
const shrinkLimits = { capacity: 1, perOwner: 1, ownerWaiting: 1, allWaiting: 1_000_000 }
const longestShrinkWait = 24 * 3600_000

/** Real time, because it is the processor's. */
const sleep = (milliseconds: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (milliseconds < 1) return resume(Effect.void)
    const timer = setTimeout(() => resume(Effect.void), milliseconds)
    return Effect.sync(() => clearTimeout(timer))
  })

export class Pictures extends Context.Service<Pictures, PicturesShape>()("parley/chat/Pictures") {
  static readonly layer = Layer.effect(
    Pictures,
    Effect.gen(function* () {
      const clock = yield* Clock
      const inTurns = makeInTurns(
        { clock, refusals: yield* Refusals },
        { ...lookLimits, limit: "pictures at once", waitMs: longestLookWait },
      )
      const line = new FairTurns(shrinkLimits)
      let restsUntil = 0

      /** What cannot be read, however it fails, is no picture. Never ended early: the thread could not be stopped. */
      const decode = <A, E>(
        read: Read<E>,
        work: (sharp: Awaited<ReturnType<typeof loadSharp>>, bytes: Uint8Array) => Promise<A | null>,
      ) =>
        Effect.uninterruptible(
          Effect.flatMap(read, (bytes) =>
            bytes === null
              ? Effect.succeed(null)
              : Effect.promise(async () => {
                  const sharp = await loadSharp()
                  return work(sharp, bytes).catch(() => null)
                }),
          ),
        )

      return {
        describe: (owner, read) =>
          Effect.flatMap(
            // Whoever gets no turn in time has uploaded a file like any other.
            Effect.match(inTurns(owner, Effect.result(decode(read, describePicture))), {
              onFailure: () => null,
              onSuccess: (looked) => looked,
            }),
            (looked) => (looked === null ? Effect.succeed(null) : Effect.fromResult(looked)),
          ),
        shrink: (owner, read) =>
          Effect.acquireUseRelease(
            // What waits when the server ends does not wait on.
            Effect.interruptible(Effect.orDie(awaitTurn(line, clock, { owner, cost: 1 }, longestShrinkWait))),
            () =>
              Effect.gen(function* () {
                yield* sleep(restsUntil - performance.now())
                const began = performance.now()
                const made = yield* decode(read, shrinkPicture)
                restsUntil = 2 * performance.now() - began
                return made
              }),
            (turn) => Effect.sync(() => line.leave(turn)),
          ),
      }
    }),
  )
}
