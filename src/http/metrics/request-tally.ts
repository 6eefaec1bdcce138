/**
 * Counts answers by endpoint and status, and how long they took, in plain numbers: a request costs one look at the clock and
 * some additions. Made by server.ts; noted by exchange.ts, read when somebody asks for the figures.
 */
import type { Route } from "../../api/endpoint.ts"
import type { HistogramSample, MetricFamily, NumberSample } from "../../api/metrics.ts"

/** Seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export class RouteTally {
  readonly name: string
  readonly codes = new Map<number, number>()
  /** How many took up to each bound, and longer than that before it. */
  readonly taken = bounds.map(() => 0)
  seconds = 0
  timed = 0

  constructor(name: string) {
    this.name = name
  }

  /** `began`: by `performance.now()`; undefined for an answer that was to wait, as that of a poll. */
  note(status: number, began: number | undefined): void {
    this.codes.set(status, (this.codes.get(status) ?? 0) + 1)
    if (began === undefined) return
    const seconds = (performance.now() - began) / 1000
    this.seconds += seconds
    this.timed += 1
    const at = bounds.findIndex((bound) => seconds <= bound)
    if (at >= 0) this.taken[at] = (this.taken[at] ?? 0) + 1
  }

  histogram(): HistogramSample {
    let sofar = 0
    const counts = this.taken.map((count) => {
      sofar += count
      return sofar
    })
    return { labels: { endpoint: this.name }, bounds, counts, count: this.timed, sum: this.seconds }
  }

  answers(): ReadonlyArray<NumberSample> {
    return Array.from(this.codes, ([code, value]) => ({ labels: { endpoint: this.name, code: String(code) }, value }))
  }
}

export class RequestTallies {
  readonly #byRoute = new Map<object, RouteTally>()
  /** What no endpoint takes, or is refused before it is known which one does. */
  readonly unrouted = new RouteTally("none")

  of<R>(route: Route<R>): RouteTally {
    const known = this.#byRoute.get(route)
    if (known !== undefined) return known
    const made = new RouteTally(`${route.method} ${route.path}`)
    this.#byRoute.set(route, made)
    return made
  }

  families(): ReadonlyArray<MetricFamily> {
    const all = [...this.#byRoute.values(), this.unrouted]
    return [
      {
        name: "parley_http_answers_total",
        help: "Answers to API requests, by endpoint and HTTP status.",
        type: "counter",
        samples: all.flatMap((tally) => tally.answers()),
      },
      {
        name: "parley_http_duration_seconds",
        help: "From the turn in which a request is handled until it is answered; held polls are left out.",
        type: "histogram",
        samples: all.filter(({ timed }) => timed > 0).map((tally) => tally.histogram()),
      },
    ]
  }
}
