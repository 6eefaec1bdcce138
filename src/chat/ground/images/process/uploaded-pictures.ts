/**
 * Looks at uploaded pictures, and makes their thumbnails, one at a time in processes beside the server's. Whose turn it is
 * to be looked at goes by owner; thumbnails are made beside all else.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../../api/errors.ts"
import { Clock } from "../../../../clock.ts"
import { awaitTurn, FairTurns, makeInTurns } from "../../../../fairness/fair-turns.ts"
import { Refusals } from "../../../../fairness/refusals.ts"
import type { Thumbnail } from "../shrink-picture.ts"
import type { PictureFacts } from "../thumbnail-formats.ts"
import type { FileToDecode } from "./decoder.ts"
import { Decoders } from "./decoders.ts"
import type { ProcessFrame } from "./process-frames.ts"
import { UploadedImages } from "./uploaded-images.ts"

/** Finds a file, when its turn has come; null where there is none. */
type FindFile<E> = Effect.Effect<FileToDecode | null, E>

interface PicturesShape {
  /**
   * Describes a file as a picture; null for what is none, is too large to be decoded, or does not get its turn in time.
   * `owner`: who uploads it, as turns are counted.
   */
  readonly describe: <E>(owner: string, find: FindFile<E>) => Effect.Effect<PictureFacts | null, E>
  /** The thumbnails of a picture; null where it cannot be decoded. `owner`: its organization, as turns are counted. */
  readonly shrink: <E>(
    owner: string,
    find: FindFile<E>,
  ) => Effect.Effect<ReadonlyArray<Thumbnail> | null, E | Unavailable>
}

/** Uploads that wait here have turns of their own, so these are never too many. */
const lookLimits = { capacity: 1, perOwner: 1, ownerWaiting: 32, allWaiting: 256 }
const longestLookWait = 5000
/** Each organization has one in the line. */
const shrinkLimits = { capacity: 1, perOwner: 1, ownerWaiting: 1, allWaiting: 1_000_000 }
const longestShrinkWait = 24 * 3600_000

const readPicture = Schema.decodeUnknownSync(
  Schema.NullOr(
    Schema.Struct({
      contentType: Schema.String,
      width: Schema.Number,
      height: Schema.Number,
      isAnimated: Schema.Boolean,
    }),
  ),
)
const readFormats = Schema.decodeUnknownSync(Schema.NullOr(Schema.Array(Schema.String)))

const thumbnailsIn = ({ value, files }: ProcessFrame): ReadonlyArray<Thumbnail> | null =>
  readFormats(value)?.flatMap((format, index) => {
    const bytes = files[index]
    return bytes === undefined ? [] : [{ format, bytes }]
  }) ?? null

export class Pictures extends Context.Service<Pictures, PicturesShape>()("parley/chat/Pictures") {
  static readonly layer = Layer.effect(
    Pictures,
    Effect.gen(function* () {
      const clock = yield* Clock
      const inTurns = makeInTurns(
        { clock, refusals: yield* Refusals },
        { ...lookLimits, limit: "pictures at once", waitMs: longestLookWait },
      )
      const { waitedFor, inBackground } = yield* Decoders
      const line = new FairTurns(shrinkLimits)

      const describe = (file: FileToDecode | null) =>
        file === null
          ? Effect.succeed(null)
          : waitedFor("describe", file).pipe(
              Effect.map((answer) => answer && readPicture(answer.value)),
              Effect.catch(({ reason }) => Effect.as(Effect.logError("a picture was not looked at", reason), null)),
            )
      const shrink = (file: FileToDecode | null) =>
        file === null
          ? Effect.succeed(null)
          : Effect.map(inBackground("shrink", file), (answer) => answer && thumbnailsIn(answer))
      return {
        describe: (owner, find) =>
          Effect.flatMap(
            // Whoever gets no turn in time has uploaded a file like any other.
            Effect.match(inTurns(owner, Effect.result(Effect.flatMap(find, describe))), {
              onFailure: () => null,
              onSuccess: (looked) => looked,
            }),
            (looked) => (looked === null ? Effect.succeed(null) : Effect.fromResult(looked)),
          ),
        shrink: (owner, find) =>
          Effect.acquireUseRelease(
            // Work that still waits when the server ends does not wait on.
            Effect.interruptible(Effect.orDie(awaitTurn(line, clock, { owner, cost: 1 }, longestShrinkWait))),
            () => Effect.flatMap(find, shrink),
            (turn) => Effect.sync(() => line.leave(turn)),
          ),
      }
    }),
  )
}

export const picturesLayer = Layer.provide(Layer.mergeAll(Pictures.layer, UploadedImages.layer), Decoders.layer)
