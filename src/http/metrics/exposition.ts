/** Figures in Prometheus' text format, as effect writes it: it reads them by hooks, as it would metrics of its own. */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import type { Family, HistogramSample, NumberSample } from "../../api/metrics.ts"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

const stateOf = (sample: NumberSample | HistogramSample) =>
  "value" in sample
    ? { count: sample.value, value: sample.value, incremental: true }
    : {
        buckets: sample.bounds.map((bound, index) => [bound, sample.counts[index] ?? 0] as const),
        count: sample.count,
        sum: sample.sum,
        min: 0,
        max: 0,
      }

const types = { counter: "Counter", gauge: "Gauge", histogram: "Histogram" } as const

const ignore = (): void => {}

/** A family without samples is left out: a line of its type alone tells nothing. */
export const exposition = (families: ReadonlyArray<Family>): string => {
  const registry: Metric.MetricRegistry = new Map()
  for (const { name, help, type, samples } of families)
    for (const [index, sample] of samples.entries()) {
      const state = stateOf(sample)
      registry.set(`${name} ${index}`, {
        id: name,
        type: types[type],
        description: help,
        attributes: sample.labels,
        hooks: { get: () => state, update: ignore, modify: ignore },
      })
    }
  return formatUnsafe(Context.make(Metric.MetricRegistry, registry))
}
