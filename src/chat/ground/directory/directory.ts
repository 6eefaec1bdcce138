/**
 * The operator's directory (LDAP), as signing in uses it (sign-in/identify.ts). Each question has a connection of its own,
 * a turn among others, and a time within which it is answered or given up, so a directory that is slow or silent holds up
 * only who asks it. The library is loaded only where there is a directory.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ApiError, serviceUnavailable } from "../../../api/errors.ts"
import { Clock, type ClockShape } from "../../../clock.ts"
import { Config, type DirectoryConfig } from "../../../config/config.ts"
import { makeInTurns } from "../../../fairness/fair-turns.ts"
import { Refusals, type RefusalsShape } from "../../../fairness/refusals.ts"
import { hasControls } from "./escape-names.ts"

export interface DirectoryShape {
  /**
   * The addresses of whom the name and the password belong to; none if that is nobody. Fails with 503 if the directory
   * has not said. `owner`: who takes turns with others, a client by its address.
   */
  readonly addressesOf: (
    owner: string,
    name: string,
    password: string,
  ) => Effect.Effect<ReadonlyArray<string>, ApiError>
}

/** For connecting, TLS and all questions of one sign-in. */
const allMilliseconds = 10_000
const lineLimits = { capacity: 8, perOwner: 4, ownerWaiting: 40, allWaiting: 200, waitMs: 5_000 }
const retrySeconds = 5

/**
 * A refusal is told at a multiple of this time after its question: how long a directory takes to refuse somebody says
 * whether it has such an entry, and what kind of password that has.
 */
const refusalMilliseconds = 500

/** In UTF-16 units. The directory is not asked about more. */
const longestName = 256
const longestPassword = 1000

const mayBeSomebody = (name: string, password: string): boolean =>
  name !== "" &&
  name.length <= longestName &&
  !hasControls(name) &&
  password !== "" &&
  password.length <= longestPassword

const minute = 60_000
/** Most characters of the directory's own words that get into the log. */
const longestReason = 200

const inOneLine = (text: string): string => text.slice(0, longestReason).replace(/[\s\p{Cc}]+/gu, " ")

/** Tells the log when the directory fails, once a minute while it does, and when it is over. */
const makeReporter = (clock: ClockShape) => {
  let toldAt: number | null = null
  return (fault: string | null): Effect.Effect<void> =>
    Effect.suspend(() => {
      const now = clock.elapsed()
      if (fault === null) {
        const isOver = toldAt !== null
        toldAt = null
        return isOver ? Effect.logWarning("the directory answers again") : Effect.void
      }
      if (toldAt !== null && now - toldAt < minute) return Effect.void
      toldAt = now
      return Effect.logWarning(`nobody can sign in by the directory: ${inOneLine(fault)}`)
    })
}

const pause = (clock: ClockShape, milliseconds: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = clock.after(milliseconds, () => resume(Effect.void))
    return Effect.sync(() => timer.cancel())
  })

const makeDirectory = Effect.fnUntraced(function* (
  config: DirectoryConfig,
  clock: ClockShape,
  refusals: RefusalsShape,
): Effect.fn.Return<DirectoryShape> {
  const { queryDirectory: askDirectory } = yield* Effect.promise(() => import("./query-directory.ts"))
  const inTurns = makeInTurns({ clock, refusals }, { ...lineLimits, limit: "directory at once" })
  const report = makeReporter(clock)

  const ask = (name: string, password: string) =>
    Effect.callback<ReadonlyArray<string>, string>((resume) => {
      const controller = new AbortController()
      const timer = clock.after(allMilliseconds, () => controller.abort())
      askDirectory(config, name, password, controller.signal)
        .then(
          (addresses) => resume(Effect.succeed(addresses)),
          (fault: unknown) => resume(Effect.fail(fault instanceof Error ? fault.message : String(fault))),
        )
        .finally(() => timer.cancel())
      return Effect.sync(() => {
        timer.cancel()
        controller.abort()
      })
    }).pipe(
      Effect.tap(() => report(null)),
      Effect.tapError(report),
      Effect.mapError(() => serviceUnavailable(retrySeconds)),
    )

  return {
    addressesOf: Effect.fnUntraced(function* (owner, name, password) {
      const began = clock.elapsed()
      const addresses = mayBeSomebody(name, password) ? yield* inTurns(owner, ask(name, password)) : []
      if (addresses.length === 0)
        yield* pause(clock, refusalMilliseconds - ((clock.elapsed() - began) % refusalMilliseconds))
      return addresses
    }),
  }
})

/** Stands for the directory where there is none: nobody asks it. */
const noDirectory: DirectoryShape = { addressesOf: () => Effect.succeed([]) }

export class Directory extends Context.Service<Directory, DirectoryShape>()("parley/chat/Directory") {
  static readonly layer = Layer.effect(
    Directory,
    Effect.gen(function* () {
      const { directory } = yield* Config
      return directory === null ? noDirectory : yield* makeDirectory(directory, yield* Clock, yield* Refusals)
    }),
  )
}
