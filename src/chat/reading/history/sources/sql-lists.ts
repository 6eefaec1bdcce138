/** Ranges of sources as parameters of a statement. */

/** As PostgreSQL writes a list of numbers. A thousand records in JSON would take longer than all the rest. */
export const sqlListOf = <R>(ranges: ReadonlyArray<R>, value: (range: R) => number): string =>
  `{${ranges.map(value).join(",")}}`
