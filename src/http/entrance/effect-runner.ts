/**
 * Runs effects from plain callbacks, with the services captured once (cheaper than a ManagedRuntime), and deals with
 * what must not happen: a defect is logged whole under a request id, and only the id leaves the process. Made by
 * server.ts; used by all ways into the server.
 */
import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { RequestAbout } from "../../fairness/client-presence.ts"

/** What is known of a request when it fails; it gets an id then, if it has none yet. */
export type FailureContext = Partial<RequestAbout>

export interface EffectRunner<R> {
  /** Runs the effect; `done` gets its end, within this call if nothing in it waits. Never interrupted. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>, done: (exit: Exit.Exit<A, E>) => void) => void
  /** Logs it and gives the id to tell the client. */
  readonly defect: (cause: Cause.Cause<unknown>, about?: FailureContext) => string
  /** Runs a task; what it throws is logged, and then `otherwise` gets the id. `about` is asked only then. */
  readonly guard: (task: () => void, otherwise?: (requestId: string) => void, about?: () => FailureContext) => void
}

export type LogDefect = (requestId: string, cause: Cause.Cause<unknown>, about: FailureContext) => Effect.Effect<void>

export const logDefect: LogDefect = (request, cause, about) =>
  Effect.annotateLogs(Effect.logError("a request failed by a defect", cause), { ...about, request })

/** Requests have none before something is to be said of them: most of them never need one. */
export const newRequestId = (): string => randomUUID()

export const makeRunner = <R>(context: Context.Context<R>, log: LogDefect): EffectRunner<R> => {
  const fork = Effect.runForkWith(context)
  const defect = (cause: Cause.Cause<unknown>, about: FailureContext = {}): string => {
    const requestId = about.request ?? newRequestId()
    fork(log(requestId, cause, about))
    return requestId
  }
  const guard: EffectRunner<R>["guard"] = (task, otherwise, about) => {
    try {
      task()
    } catch (fault) {
      const requestId = defect(Cause.die(fault), about?.())
      otherwise?.(requestId)
    }
  }
  return {
    defect,
    guard,
    run: (effect, done) => {
      fork(effect).addObserver((exit) => guard(() => done(exit)))
    },
  }
}
