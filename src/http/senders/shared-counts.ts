/**
 * Requests of heavy senders where several processes serve: once a second each tells how many it has admitted of those who are above
 * a tenth of what they may, and the others add them. So a sender who goes to all of them may little more than at one. Used by
 * rate-limit.ts.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ClockShape } from "../../clock.ts"
import { longestNote, type Notes } from "../../events/peers/notes.ts"
import type { RateCounter } from "../../fairness/rate-counter.ts"

const subject = "requests"
const eachMilliseconds = 1_000
const heavyShare = 1 / 10
/** Keys of a counter that are looked after at a time. */
const mostHeavy = 1_000
/** What these cannot hold is told a second later. */
const notesAtOnce = 4
const longestKey = 64
/** Bytes of a count and what is around it. */
const longestNumber = 20

/** Which counter, who, and how many more requests. */
const Told = Schema.Array(Schema.Tuple([Schema.String, Schema.Union([Schema.String, Schema.Number]), Schema.Number]))
const readTold = Schema.decodeUnknownOption(Told)

interface Shared {
  readonly heavy: Set<string | number>
  /** Requests of a key that nobody was told of yet; from then on they were. */
  readonly take: (key: string | number) => number
  readonly hear: (key: string | number, count: number) => void
}

/** Answers what makes a counter one of those that all processes count. */
export const makeSharedCounts = (clock: ClockShape, notes: Notes) => {
  const all = new Map<string, Shared>()
  let isDue = false

  /** The next entries for one note; each is taken once. */
  const gather = (): ReadonlyArray<readonly [string, string | number, number]> => {
    const entries: Array<readonly [string, string | number, number]> = []
    let bytes = 2
    for (const [name, { heavy, take }] of all)
      for (const key of heavy) {
        bytes += Buffer.byteLength(JSON.stringify([name, key])) + longestNumber
        if (bytes > longestNote) return entries
        heavy.delete(key)
        const count = take(key)
        if (count > 0) entries.push([name, key, count])
      }
    return entries
  }

  const tell = (): void => {
    isDue = false
    for (let n = 0; n < notesAtOnce; n++) {
      const entries = gather()
      if (entries.length === 0) break
      notes.tell(subject, entries)
    }
    for (const { heavy } of all.values()) if (heavy.size > 0) wait()
  }

  const wait = (): void => {
    if (isDue) return
    isDue = true
    clock.after(eachMilliseconds, tell)
  }

  notes.hear(subject, (body) => {
    for (const [name, key, count] of Option.getOrElse(readTold(body), () => [])) all.get(name)?.hear(key, count)
  })

  return <Key extends string | number>(
    name: string,
    isKey: (key: string | number) => key is Key,
    counter: RateCounter<Key>,
  ): RateCounter<Key> => {
    const heavy = new Set<string | number>()
    all.set(name, {
      heavy,
      take: (key) => (isKey(key) ? counter.takeUntold(key) : 0),
      hear: (key, count) => {
        if (isKey(key) && Number.isSafeInteger(count) && count > 0) counter.add(key, count)
      },
    })
    return {
      ...counter,
      count: (key) => {
        const verdict = counter.count(key)
        const { limit, remaining, waitSeconds } = verdict
        const isHeavy = waitSeconds === null && limit - remaining >= heavyShare * limit
        if (isHeavy && heavy.size < mostHeavy && isKey(key)) {
          heavy.add(key)
          wait()
        }
        return verdict
      },
    }
  }
}

export const isAddress = (key: string | number): key is string => typeof key === "string" && key.length <= longestKey
export const isUser = (key: string | number): key is number => typeof key === "number" && Number.isSafeInteger(key)
