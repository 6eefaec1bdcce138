/**
 * Combinations of several dimensions in which every pair of values of two dimensions occurs together at least once: far
 * fewer than the full product. Defects nearly always need one value or a pair of values, hardly ever three at once.
 */
type Dimensions = Readonly<Record<string, ReadonlyArray<unknown>>>

type Combination<T extends Dimensions> = { -readonly [K in keyof T]: T[K][number] }

interface Pair {
  readonly left: number
  readonly leftValue: number
  readonly right: number
  readonly rightValue: number
}

const pairsOf = (sizes: ReadonlyArray<number>): Set<Pair> => {
  const pairs = new Set<Pair>()
  for (const [left, leftSize] of sizes.entries())
    for (let right = left + 1; right < sizes.length; right += 1)
      for (let leftValue = 0; leftValue < leftSize; leftValue += 1)
        for (let rightValue = 0; rightValue < (sizes[right] ?? 0); rightValue += 1)
          pairs.add({ left, leftValue, right, rightValue })
  return pairs
}

/** Number of open pairs that `value` for dimension `at` would cover, together with the values chosen already. */
const gainOf = (open: Iterable<Pair>, chosen: ReadonlyArray<number | undefined>, at: number, value: number): number => {
  let gain = 0
  for (const { left, leftValue, right, rightValue } of open) {
    if (left === at && leftValue === value && chosen[right] === rightValue) gain += 1
    if (right === at && rightValue === value && chosen[left] === leftValue) gain += 1
  }
  return gain
}

/** Starts from the first open pair, so that each combination covers at least one; then takes the best value of each. */
const nextOf = (sizes: ReadonlyArray<number>, open: ReadonlySet<Pair>): ReadonlyArray<number> => {
  const chosen: Array<number | undefined> = sizes.map(() => undefined)
  for (const { left, leftValue, right, rightValue } of open) {
    chosen[left] = leftValue
    chosen[right] = rightValue
    break
  }
  return sizes.map((size, at) => {
    let best = chosen[at] ?? 0
    if (chosen[at] === undefined) {
      let most = -1
      for (let value = 0; value < size; value += 1) {
        const gain = gainOf(open, chosen, at, value)
        if (gain > most) [best, most] = [value, gain]
      }
    }
    chosen[at] = best
    return best
  })
}

/** Greedy and deterministic: the same dimensions give the same combinations in the same order. */
export function pairwise<T extends Dimensions>(dimensions: T): ReadonlyArray<Combination<T>>
export function pairwise(dimensions: Dimensions): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const names = Object.keys(dimensions)
  const sizes = names.map((name) => dimensions[name]?.length ?? 0)
  if (sizes.includes(0)) return []
  const picked: Array<ReadonlyArray<number>> = []
  if (names.length < 2) for (let value = 0; value < (sizes[0] ?? 0); value += 1) picked.push([value])
  const open = pairsOf(sizes)
  while (open.size > 0) {
    const next = nextOf(sizes, open)
    for (const pair of open)
      if (next[pair.left] === pair.leftValue && next[pair.right] === pair.rightValue) open.delete(pair)
    picked.push(next)
  }
  return picked.map((indexes) =>
    Object.fromEntries(names.map((name, at) => [name, dimensions[name]?.[indexes[at] ?? 0]])),
  )
}
