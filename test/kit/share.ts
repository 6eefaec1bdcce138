/**
 * What of a long list a run tries. The quick run (`npm test`) takes a share by the seed, so that as many runs in a row as the
 * share says see all of it; the full run (`PARLEY_TEST_FULL=1`) takes all. The seed is PARLEY_SEED, else the number of commits,
 * else the day: it moves on with each change, and stays for who repeats a run. The reporter prints it with each failure.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"

const millisecondsPerDay = 86_400_000

const countCommits = (): number | undefined => {
  const { status, stdout } = spawnSync("git", ["rev-list", "--count", "HEAD"], { encoding: "utf8" })
  return status === 0 ? Number(stdout) : undefined
}

/** `given`: the value of PARLEY_SEED. */
export const readSeed = (given: string | undefined): number => {
  if (given === undefined) return countCommits() ?? Math.floor(Date.now() / millisecondsPerDay)
  if (!/^\d{1,15}$/.test(given)) throw new Error(`PARLEY_SEED is "${given}"; it is a whole number, not negative`)
  return Number(given)
}

/** A whole number that depends on nothing but the text. */
export const hashOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32LE(0)

/** Every `n`th item, from a beginning that depends on `name` and moves on by one with the seed. */
export const shareOf = <Item>(
  list: ReadonlyArray<Item>,
  n: number,
  name: string,
  seed: number,
): ReadonlyArray<Item> => {
  const beginning = hashOf(name) + seed
  return list.filter((_, index) => (index + beginning) % n === 0)
}

/** Options of a test: none, or why this run leaves it out. */
interface Turn {
  readonly skip?: string
}

/** A multiple of all numbers of runs of which a file has one (test/suites/dear.ts). */
const turnsOfFiles = 30

/** What a run with this seed tries. */
export const sharesOf = ({ seed, isFull }: { readonly seed: number; readonly isFull: boolean }) => {
  // A file that is in every second run would take the same half of its tests each time.
  const moved = seed + Math.floor(seed / turnsOfFiles)
  /**
   * The share of a list that this run tries, so that `n` runs in a row try each item once. `name` tells lists apart, so that
   * those of one walk do not move alike.
   */
  const some = <Item>(list: ReadonlyArray<Item>, n: number, name: string): ReadonlyArray<Item> =>
    isFull || n <= 1 ? list : shareOf(list, n, name, moved)
  /** As `some`, of which about `count` are tried, whatever the list's length. */
  const about = <Item>(list: ReadonlyArray<Item>, count: number, name: string): ReadonlyArray<Item> =>
    some(list, Math.ceil(list.length / count), name)
  /** Options of a test that one of `n` runs tries. */
  const inTurn = (n: number, name: string): Turn =>
    some([name], n, name).length > 0 ? {} : { skip: `tried by one of ${n} quick runs` }
  return { some, about, inTurn }
}

/** Whether all is tried. */
export const isFull: boolean = process.env["PARLEY_TEST_FULL"] === "1"

/** A whole number, not negative. All processes of a run are given the same one by PARLEY_SEED (scripts/test.mjs). */
export const seed: number = readSeed(process.env["PARLEY_SEED"])

export const { some, about, inTurn } = sharesOf({ seed, isFull })
