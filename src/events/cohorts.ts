/**
 * The cohorts of a realm: which queue joins which, and to which of them a row may be offered as a whole. One is if all of its
 * members are receivers and none of them has a copy of its own; of the others those concerned step out, are offered the row
 * alone, and stand together again when all have sent it.
 */

import { Cohort, type CohortHost } from "./cohort.ts"
import type { Queue } from "./queue.ts"

/** Most cohorts: more than there are kinds of clients and large channels in use at a time. Other queues stay alone. */
const mostCohorts = 16
/** One of so few gives its place to a new one. */
const fewMembers = 4

/** Receivers, as those cohorts that all belong to them, and those who stand alone. */
interface Division {
  readonly targets: ReadonlyArray<Queue>
  readonly version: number
  readonly whole: ReadonlyArray<Cohort<Queue>>
  readonly alone: ReadonlyArray<Queue>
}

export class Cohorts {
  readonly #host: CohortHost<Queue>
  /** The one that was last joined is the first. */
  #cohorts: ReadonlyArray<Cohort<Queue>> = []
  /** Has found none that it is like: the next one that is like it makes one with it. */
  #lone: Queue | null = null
  /** Counts the comings and goings of members. */
  #version = 0
  #last: Division | null = null

  constructor(host: Omit<CohortHost<Queue>, "changed" | "settled">) {
    this.#host = {
      ...host,
      changed: () => {
        this.#version++
      },
      settled: (cohort) => this.#unite(cohort),
    }
  }

  /** The number of queues in cohorts, for tests. */
  get count(): number {
    return this.#cohorts.reduce((sum, { count }) => sum + count, 0)
  }

  /** Puts a queue that has just sent all that it had into the cohort of those that have sent the same. */
  readonly gather = (queue: Queue): void => {
    for (const cohort of this.#cohorts) {
      if (cohort.count === 0 || !cohort.isLike(queue)) continue
      cohort.add(queue)
      if (cohort !== this.#cohorts[0]) this.#cohorts = [cohort, ...this.#cohorts.filter((each) => each !== cohort)]
      return
    }
    const lone = this.#lone
    this.#lone = queue
    if (lone === null || lone === queue || !lone.isSettled || !this.#makeRoom()) return
    const made = new Cohort<Queue>(queue, this.#host)
    if (!made.isLike(lone)) return
    this.#lone = null
    made.add(lone)
    made.add(queue)
    this.#cohorts = [made, ...this.#cohorts]
  }

  /** The queue is live no more. */
  forget(queue: Queue): void {
    if (this.#lone === queue) this.#lone = null
  }

  /** Divides receivers. `apart`: those among them who are to stand alone. */
  divide(targets: ReadonlyArray<Queue>, apart: Iterable<Queue>): Division {
    for (const queue of apart) queue.group?.remove(queue.place)
    const last = this.#last
    if (last !== null && last.targets === targets && last.version === this.#version) return last
    const members = new Map<unknown, number>()
    for (const { group } of targets) if (group !== null) members.set(group, (members.get(group) ?? 0) + 1)
    const whole = this.#cohorts.filter((cohort) => cohort.count > 0 && members.get(cohort) === cohort.count)
    const known = new Set<unknown>(whole)
    const alone = targets.filter(({ group }) => !known.has(group))
    this.#last = { targets, version: this.#version, whole, alone }
    return this.#last
  }

  #makeRoom(): boolean {
    this.#cohorts = this.#cohorts.filter(({ count }) => count > 0)
    if (this.#cohorts.length < mostCohorts) return true
    const small = this.#cohorts.findLast(({ count, isDone }) => isDone && count <= fewMembers)
    if (small === undefined) return false
    small.scatter(() => {})
    this.#cohorts = this.#cohorts.filter((each) => each !== small)
    return true
  }

  /** Two that have come to have sent the same become one. */
  #unite(cohort: Cohort<Queue>): void {
    for (const other of this.#cohorts) {
      if (other.count >= cohort.count) other.absorb(cohort)
      else cohort.absorb(other)
    }
  }
}
