/**
 * The time and the seed of each file of the deep tests. `npm run test:deep` runs random actions for longer than the suite,
 * with a fresh seed each time. PARLEY_DEEP_SECONDS is the time of each file, 10 s by default, but for
 * fuzz.test.ts, which has a number of inputs then. What has a size instead has its usual one from 10 s on, and in less time a
 * part of it. PARLEY_SEED=<seed> repeats the choices of a run.
 */
import { seed, shareOf } from "../kit/share.ts"

const usualSeconds = 10
const given = process.env["PARLEY_DEEP_SECONDS"]
export const deepSeconds = Number(given ?? usualSeconds)
/** Nobody said how long: what is counted otherwise has its usual number. */
export const isUsual = given === undefined
/** Less than usual: files whose work cannot be cut short do a part of it. */
export const isShort = deepSeconds < usualSeconds

/** Beside the time itself: starting, reading every queue to its end, and a machine that others use. */
export const timeout = (deepSeconds + 900) * 1000

/** True until the time is over, counted from the call. */
export const timer = (seconds = deepSeconds): (() => boolean) => {
  const end = performance.now() + seconds * 1000
  return () => performance.now() < end
}

/** A size: the usual one, or the part for which a shorter run has time. */
export const sized = (usual: number, least: number): number =>
  Math.max(least, Math.round(usual * Math.min(1, deepSeconds / usualSeconds)))

/**
 * All parts of a file, each of which takes its time whatever is given; in a shorter run one of them, in turn by the seed. A file
 * that has its turn in every second run (test/suites/test-files.ts) takes another part each time.
 */
export const inTime = <Part>(parts: ReadonlyArray<Part>, file: string): ReadonlyArray<Part> =>
  isShort ? shareOf(parts, parts.length, file, Math.floor(seed / 2)) : parts

/** Says the seed at once, so that it is known whatever becomes of the run. */
export const announceSeed = (file: string): number => {
  process.stderr.write(`${file}: PARLEY_SEED=${seed}, ${deepSeconds} s\n`)
  return seed
}
