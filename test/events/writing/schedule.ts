/**
 * A random schedule of a writer: commands of every kind come while commits land, are lost, arrive late or are refused, and
 * while other processes commit. What the writer promises is checked for each command at the end.
 */
import type { Random } from "../model/random.ts"
import type { Fate } from "./held-log.ts"
import { type Ending, heldWriter, turns, type Wish } from "./held-writer.ts"

/** Numbers of what happened in schedules, which must not be 0 for a test of them to say anything. */
export interface Seen {
  /** Commits that were sent while rows of the one before them were not followed. */
  overlapped: number
  stale: number
  answered: number
  unavailable: number
}

const fates: ReadonlyArray<Fate> = ["done", "done", "done", "done", "done", "lost", "late", "unsent"]

const chooseWish = (random: Random, keys: number): Wish => ({
  changesRules: random.chance(0.1),
  isPoison: random.chance(0.05),
  key: random.chance(0.3) ? `key ${random.below(keys)}` : null,
})

/** Plays a schedule and answers what was broken. */
export const play = async (random: Random, seen: Seen): Promise<ReadonlyArray<string>> => {
  const writer = heldWriter()
  const { log, projection } = writer
  const wishes = new Map<string, Wish>()
  const endings = new Map<string, Ending>()
  const all: Array<Promise<void>> = []
  const { onSent } = log
  let isAnswered = false
  log.onSent = (names) => {
    onSent(names)
    if (isAnswered && projection.position < log.head) seen.overlapped++
  }
  const submit = () => {
    const name = `c${wishes.size}`
    const wish = chooseWish(random, 5)
    wishes.set(name, wish)
    all.push(writer.submit(name, wish).then((ending) => void endings.set(name, ending)))
  }
  const land = async (fate: Fate) => {
    if (log.rules > (log.held[0]?.judgedAt ?? 0)) seen.stale++
    isAnswered = fate === "done"
    await writer.land(fate)
    isAnswered = false
  }
  const steps = random.between(5, 60)
  for (let step = 0; step < steps; step++) {
    for (let n = random.below(4); n > 0; n--) submit()
    if (random.chance(0.7)) await turns()
    if (random.chance(0.1)) log.append("elsewhere", random.chance(0.5))
    if (random.chance(0.1)) writer.catchUp()
    if (random.chance(0.1)) log.onTheWay.shift()?.()
    if (log.held.length > 0 && random.chance(0.8)) await land(random.pick(fates))
  }
  for (await turns(); writer.busy(); await turns()) if (log.held.length > 0) await land("done")
  for (const arrive of log.onTheWay) arrive()
  await Promise.all(all)

  const broken = [...log.faults]
  const firstOf = new Map<string, number>()
  for (const [index, { name }] of log.rows.entries()) {
    if (name !== "elsewhere" && firstOf.has(name)) broken.push(`${name} was done twice`)
    firstOf.set(name, index + 1)
  }
  for (const [name, ending] of endings) {
    const { isPoison = false, key = null } = wishes.get(name) ?? {}
    if (typeof ending === "number") {
      seen.answered++
      const author = log.rows[ending - 1]?.name ?? "nobody"
      const isOwn = author === name || (key !== null && wishes.get(author)?.key === key)
      if (!isOwn) broken.push(`${name} was answered with ${ending}, the row of ${author}`)
    } else {
      if (ending === "503") seen.unavailable++
      if (firstOf.has(name)) broken.push(`${name} got ${ending}, and is done`)
      if (ending === "unknown" || (ending === "500" && !isPoison)) broken.push(`${name} got ${ending}`)
    }
  }
  if (writer.told.length > 0) broken.push(`the server was told: ${writer.told.join()}`)
  if (projection.position < log.head && log.rows[log.head - 1]?.name !== "elsewhere")
    broken.push("rows were not followed")
  return broken
}
