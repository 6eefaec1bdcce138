/** The processes that decode pictures: one for whoever waits for its answer, one for what is made beside all else. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unavailable } from "../../../../api/errors.ts"
import { type FileToDecode, makeDecoder } from "./decoder.ts"
import type { DecoderTaskName } from "./decoder-tasks.ts"
import type { ProcessFrame } from "./process-frames.ts"

/** null where the file cannot be decoded or takes too much. Fails where no process can be started. */
type Decode = (work: DecoderTaskName, file: FileToDecode) => Effect.Effect<ProcessFrame | null, Unavailable>

interface DecodersShape {
  readonly waitedFor: Decode
  readonly inBackground: Decode
}

/** Requests stand back a little behind everybody's messages, thumbnails far. */
const niceness = { waitedFor: 2, inBackground: 10 }

const scopedDecoder = (nice: number) =>
  Effect.acquireRelease(
    Effect.sync(() => makeDecoder(nice)),
    ({ close }) => Effect.sync(close),
  ).pipe(
    Effect.map(
      ({ run }): Decode =>
        // Never ended early: the next file would wait for this one anyway.
        (work, file) =>
          Effect.uninterruptible(
            Effect.tryPromise({
              try: () => run(work, file),
              catch: (error) => new Unavailable({ reason: `the decoder of pictures: ${String(error)}` }),
            }),
          ),
    ),
  )

export class Decoders extends Context.Service<Decoders, DecodersShape>()("parley/chat/Decoders") {
  static readonly layer = Layer.effect(
    Decoders,
    Effect.all({ waitedFor: scopedDecoder(niceness.waitedFor), inBackground: scopedDecoder(niceness.inBackground) }),
  )
}
