/**
 * The password of all accounts of the demo organization. To hash it takes a third of a second, so the start of a server that
 * will make the organization begins with it (main.ts), in a thread that gives way to all others.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeHasher } from "../../ground/sign-in/hasher.ts"
import { newHash } from "../../ground/sign-in/password-hash.ts"

export const demoPassword = "parley-demo"

/** Begins at once; what it answers waits for the hash. */
export const hashDemoPassword = Effect.gen(function* () {
  const hasher = yield* Effect.acquireRelease(Effect.sync(makeHasher), ({ close }) => Effect.promise(close))
  return Fiber.join(yield* Effect.forkScoped(newHash(hasher, demoPassword)))
})
