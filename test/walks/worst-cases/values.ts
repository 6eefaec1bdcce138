/** Values of parameters by their size, for the rows of worst-cases.test.ts. */

/** `values`: texts of the parameter with so many parts; one of them at least is accepted with `most` parts. */
export interface WorstCase {
  readonly most: number
  readonly values: (parts: number) => ReadonlyArray<string>
  /** Nothing larger than a request is refused: the endpoint cuts it, or its limit is a setting. */
  readonly any?: true
}

export const times = <A>(count: number, part: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => part(n))
export const json = (value: unknown): string => JSON.stringify(value)

export const text = (most: number): WorstCase => ({ most, values: (length) => ["a".repeat(length)] })
export const name = text(10_000)
/** A message that is cut, or a description, of which the endpoint reads no more than a setting allows. */
export const whole: WorstCase = { ...text(1_000_000), any: true }
export const list = (most: number, part: (n: number) => unknown): WorstCase => ({
  most,
  values: (count) => [json(times(count, part))],
})
export const ids = (most: number): WorstCase => list(most, (n) => n + 1)
export const names = (most: number): WorstCase => list(most, (n) => `name ${n}`)
/** Any JSON, compared with a fixed value, or a single value. */
export const anyJson = (most: number): WorstCase => ({
  most,
  values: (length) => [`"${"a".repeat(length - 2)}"`, "1".padEnd(length)],
})
