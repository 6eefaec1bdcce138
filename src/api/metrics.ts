/** Figures about the server, for programs that watch it (Prometheus). They are read when they are asked for. */
export type MetricLabels = Readonly<Record<string, string>>

export interface NumberSample {
  readonly labels: MetricLabels
  readonly value: number
}

/** `counts`: how many values are at most each of `bounds`, larger ones not counted; `count` and `sum` are of all. */
export interface HistogramSample {
  readonly labels: MetricLabels
  readonly bounds: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
  readonly count: number
  readonly sum: number
}

/** One figure under a name of its own, once for each set of labels. Names of counters end with `_total`. */
export type MetricFamily =
  | {
      readonly name: string
      readonly help: string
      readonly type: "counter" | "gauge"
      readonly samples: ReadonlyArray<NumberSample>
    }
  | {
      readonly name: string
      readonly help: string
      readonly type: "histogram"
      readonly samples: ReadonlyArray<HistogramSample>
    }

const noLabels: MetricLabels = {}

export const gauge = (name: string, help: string, value: number): MetricFamily => ({
  name,
  help,
  type: "gauge",
  samples: [{ labels: noLabels, value }],
})

export const counter = (name: string, help: string, value: number): MetricFamily => ({
  ...gauge(name, help, value),
  type: "counter",
  samples: [{ labels: noLabels, value }],
})

/** The same figure of several things. */
export const each = (
  type: "counter" | "gauge",
  name: string,
  help: string,
  label: string,
  values: Iterable<readonly [of: string, value: number]>,
): MetricFamily => ({
  name,
  help,
  type,
  samples: Array.from(values, ([of, value]) => ({ labels: { [label]: of }, value })),
})
