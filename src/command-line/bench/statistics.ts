/** Medians and other quantiles of samples. */

/** A quantile of samples in any order; NaN if there are none. `share`: 0.5 for the median. */
export const quantile = (samples: Iterable<number>, share: number): number => {
  const sorted = Float64Array.from(samples).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const median = (samples: Iterable<number>): number => quantile(samples, 0.5)

/** Half the distance between the quartiles, as a share of the median: a small one means a reliable median. */
export const spread = (samples: ReadonlyArray<number>): number =>
  (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / median(samples)
