/** Quantiles of any number of delays in little memory: counts in classes that grow by a hundredth. */

const classes = 2048
const perUnit = 100
/** The shortest one that is told from others, in milliseconds. */
const shortest = 0.001

export class Delays {
  readonly #counts = new Float64Array(classes)
  #all = 0

  add(milliseconds: number): void {
    const place = Math.floor(perUnit * Math.log(Math.max(milliseconds, shortest) / shortest))
    const at = Math.min(classes - 1, place)
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#all++
  }

  /** In milliseconds, right to a hundredth; NaN if there are none. */
  quantile(share: number): number {
    let left = share * this.#all
    for (let at = 0; at < classes && this.#all > 0; at++) {
      left -= this.#counts[at] ?? 0
      if (left < 0 || (left === 0 && share === 1)) return shortest * Math.exp((at + 0.5) / perUnit)
    }
    return Number.NaN
  }
}
