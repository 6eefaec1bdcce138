/**
 * The renderer's worker thread, and the line before it: started with the first job, one job at a time, in turns by
 * sender. A job that takes too long, or too much memory, ends the thread, and with that only itself: the next job starts
 * another. Ends with the server.
 */
import { Worker } from "node:worker_threads"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ApiError, badRequest, rateLimited, serviceUnavailable } from "../../../../api/errors.ts"
import { Clock } from "../../../../clock.ts"
import { awaitTurn, FairTurns, type NoTurn } from "../../../../fairness/fair-turns.ts"
import { Refusals, type RefusalsShape } from "../../../../fairness/refusals.ts"
import type { Rendered, RenderJob } from "../context/rendered.ts"
import type { RenderAnswer } from "./render-messages.ts"

const file = new URL(import.meta.url.endsWith(".ts") ? "./render-worker.ts" : "./render-worker.js", import.meta.url)

/** The longest ordinary content takes 50 ms. */
const jobMilliseconds = 5_000
/** Until a thread has its libraries: half a second, and ten times as much where the machine is busy. */
const startMilliseconds = 30_000
/** Milliseconds that a job waits for its turn at most. */
const waitMilliseconds = 10_000
const lineLimits = { capacity: 1, perOwner: 1, ownerWaiting: 200, allWaiting: 1000 }
const heapMegabytes = 256

const cannotRender = () => badRequest("Unable to render message")

const noTurn = (refusals: RefusalsShape, owner: string, why: NoTurn): ApiError => {
  if (why === "owner-full") {
    refusals.note("messages to render of a user", owner)
    return rateLimited(1, "Too many of your messages wait to be rendered: wait before you send the next one")
  }
  refusals.note("messages to render in all", owner)
  return serviceUnavailable(1)
}

interface RenderThread {
  /** Calls `done` once: null if the content cannot be rendered. To be called again only after that. */
  readonly run: (job: RenderJob, done: (answer: RenderAnswer) => void) => void
  readonly close: () => Promise<void>
}

const makeThread = (limitMilliseconds: number): RenderThread => {
  let worker: Worker | undefined
  let waiting: ((answer: RenderAnswer) => void) | undefined
  let watchdog: NodeJS.Timeout | undefined
  let isReady = false

  /** Ends the thread unless it answers in time. What a job may take counts from when the thread can begin it. */
  const watch = (): void => {
    clearTimeout(watchdog)
    watchdog = setTimeout(
      () => {
        void worker?.terminate()
        worker = undefined
        settle(null)
      },
      isReady ? limitMilliseconds : startMilliseconds,
    )
  }

  const settle = (answer: RenderAnswer): void => {
    clearTimeout(watchdog)
    const done = waiting
    waiting = undefined
    done?.(answer)
  }

  const start = (): Worker => {
    // Without Node's arguments of a process that has this server in it.
    const thread = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes }, execArgv: [] })
    thread.unref()
    isReady = false
    const gone = () => {
      if (worker !== thread) return
      worker = undefined
      settle(null)
    }
    // A thread that speaks after its end was decided does not answer the next job.
    thread.on("message", (said: "ready" | RenderAnswer) => {
      if (worker !== thread) return
      if (said !== "ready") return settle(said)
      isReady = true
      if (waiting !== undefined) watch()
    })
    thread.on("error", gone)
    thread.on("exit", gone)
    return thread
  }

  return {
    run: (job, done) => {
      waiting = done
      worker ??= start()
      watch()
      worker.postMessage(job)
    },
    close: async () => {
      const thread = worker
      worker = undefined
      settle(null)
      await thread?.terminate()
    },
  }
}

interface RenderWorkerShape {
  /** Fails with 400 where the content cannot be rendered, with 429 or 503 where too many wait. `owner`: whose turn it is. */
  readonly render: (owner: string, job: RenderJob) => Effect.Effect<Rendered, ApiError>
}

export const makeRenderWorker = Effect.fnUntraced(function* (limitMilliseconds: number = jobMilliseconds) {
  const clock = yield* Clock
  const refusals = yield* Refusals
  const turns = new FairTurns(lineLimits)
  const thread = yield* Effect.acquireRelease(
    Effect.sync(() => makeThread(limitMilliseconds)),
    ({ close }) => Effect.promise(close),
  )
  // Whoever is interrupted keeps the turn until the thread is done: it cannot be told to stop.
  const inTurn = (job: RenderJob, leave: () => void) =>
    Effect.callback<RenderAnswer>((resume) => {
      thread.run(job, (answer) => {
        leave()
        resume(Effect.succeed(answer))
      })
    })
  const render: RenderWorkerShape["render"] = (owner, job) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const waiting = awaitTurn(turns, clock, { owner, cost: 1 }, waitMilliseconds)
        const turn = yield* restore(Effect.mapError(waiting, (why) => noTurn(refusals, owner, why)))
        const answer = yield* inTurn(job, () => turns.leave(turn))
        return answer === null ? yield* Effect.fail(cannotRender()) : answer
      }),
    )
  return { render } satisfies RenderWorkerShape
})

export class RenderWorker extends Context.Service<RenderWorker, RenderWorkerShape>()("parley/chat/RenderWorker") {
  static readonly layer = Layer.effect(RenderWorker, makeRenderWorker())
}
