/**
 * The time and the seed of each file of the deep tests. `npm run test:deep` runs random actions for longer than the suite,
 * with a fresh seed each time. PARLEY_DEEP_SECONDS is the time of each file, 10 s by default, but for
 * fuzz.test.ts, which has a number of inputs then. PARLEY_SEED=<seed> repeats the choices of a run.
 */
import { seed } from "../kit/share.ts"

const given = process.env["PARLEY_DEEP_SECONDS"]
export const deepSeconds = Number(given ?? 10)
/** Nobody said how long: what is counted otherwise has its usual number. */
export const isUsual = given === undefined

/** Beside the time itself: starting, reading every queue to its end, and a machine that others use. */
export const timeout = (deepSeconds + 900) * 1000

/** True until the time is over, counted from the call. */
export const timer = (seconds = deepSeconds): (() => boolean) => {
  const end = performance.now() + seconds * 1000
  return () => performance.now() < end
}

/** Says the seed at once, so that it is known whatever becomes of the run. */
export const announceSeed = (file: string): number => {
  process.stderr.write(`${file}: PARLEY_SEED=${seed}, ${deepSeconds} s\n`)
  return seed
}
