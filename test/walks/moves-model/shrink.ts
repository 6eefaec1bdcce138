/** Makes a way shorter as long as it goes wrong in the same manner. */
import type { Difference } from "./judge.ts"
import { play, type Wrong } from "./play.ts"
import { people, type Site, type Who } from "./stage.ts"

export interface Shortest {
  readonly way: ReadonlyArray<string>
  readonly wrong: Wrong
}

/** What a look after a few steps may have got wrong. */
const isUnsure = ({ kind }: Difference): boolean => kind === "ghost" || kind === "leak"

/** The people whose clients are wrong, first those of whom that is sure. */
const wrongOf = ({ differences }: Wrong): ReadonlyArray<Who> => {
  const isOf = (who: Who) => (each: Difference) => each.label.startsWith(who)
  const sure = differences.filter((each) => !isUnsure(each))
  return [sure, differences].flatMap((list) => people.filter((who) => list.some(isOf(who))))
}

/** Undefined: looked at closely, nothing is wrong; see `play`. */
export const shrink = async (site: Site, given: ReadonlyArray<string>, seen: Wrong): Promise<Shortest | undefined> => {
  for (const who of wrongOf(seen)) {
    const wrong = await play(site, given.slice(0, seen.at + 1), [who], true)
    if (wrong !== undefined) return await shrinkOf(site, given, wrong, who)
  }
  return seen.differences.every(isUnsure) ? undefined : { way: given, wrong: seen }
}

const shrinkOf = async (site: Site, given: ReadonlyArray<string>, wrong: Wrong, who: Who): Promise<Shortest> => {
  const [first] = wrong.differences
  let best: Shortest = { way: given.slice(0, wrong.at + 1), wrong }
  const attempt = async (shorter: ReadonlyArray<string>): Promise<boolean> => {
    const again = await play(site, shorter, [who], true)
    if (again === undefined || !again.differences.some(({ kind }) => kind === first?.kind)) return false
    best = { way: shorter.slice(0, again.at + 1), wrong: again }
    return true
  }
  for (let size = Math.ceil(best.way.length / 2); size >= 1; ) {
    let isShorter = false
    for (let at = best.way.length - size; at >= 0; at -= size) {
      const shorter = best.way.toSpliced(at, size)
      if (shorter.length > 0 && (await attempt(shorter))) isShorter = true
    }
    if (size === 1 && !isShorter) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return best
}
