/** Where the runs of backticks of a text stand: code goes from one run to the next of the same length. */
export class BacktickRuns {
  /** For each length of a run, the places where such runs begin, from left to right. */
  readonly #byLength = new Map<number, Array<number>>()
  /** Number of runs of each length that have been passed. */
  readonly #passed = new Map<number, number>()

  constructor(text: string) {
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const known = this.#byLength.get(run.length)
      if (known === undefined) this.#byLength.set(run.length, [index])
      else known.push(index)
    }
  }

  /** The next run of this length after a place. Places only grow, so all searches together pass each run once. */
  next(length: number, after: number): number | undefined {
    const places = this.#byLength.get(length) ?? []
    let at = this.#passed.get(length) ?? 0
    while ((places[at] ?? Number.POSITIVE_INFINITY) < after) at++
    this.#passed.set(length, at)
    return places[at]
  }
}
