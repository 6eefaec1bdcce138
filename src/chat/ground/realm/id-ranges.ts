/**
 * Sets of ids as PostgreSQL writes a multirange: "{[4,7),[9,10)}" is 4, 5, 6 and 9. Log rows and tables hold sets of
 * users and of messages in this form, because ids that follow each other take one range and SQL can compute with it.
 */

/** The ids in ascending order, each once, as a multirange. */
export const rangesOf = (ids: ArrayLike<number>): string => {
  const ranges: Array<string> = []
  for (let n = 0; n < ids.length; n++) {
    const first = ids[n] ?? 0
    let last = first
    while (n + 1 < ids.length && ids[n + 1] === last + 1) {
      last++
      n++
    }
    ranges.push(`[${first},${last + 1})`)
  }
  return `{${ranges.join(",")}}`
}

const range = /\[(\d+),(\d+)\)/g

/** The ids of a multirange that the database or `rangesOf` has written, ascending; not those of ranges without ends. */
export const idsOf = (ranges: string): ReadonlyArray<number> => {
  const ids: Array<number> = []
  for (const [, first, end] of ranges.matchAll(range)) for (let id = Number(first); id < Number(end); id++) ids.push(id)
  return ids
}

/** Whether a multirange goes on without end in both directions: it is a set of all but some. */
export const isEndless = (ranges: string): boolean => ranges.startsWith("{(,")

const gap = /(\d+)\),\[(\d+)/g

/** The ids between the ranges of such a multirange, ascending. */
export const idsMissing = (ranges: string): ReadonlyArray<number> => {
  const ids: Array<number> = []
  for (const [, end, next] of ranges.matchAll(gap)) for (let id = Number(end); id < Number(next); id++) ids.push(id)
  return ids
}
