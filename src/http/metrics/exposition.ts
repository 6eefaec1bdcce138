/** Figures in Prometheus' text format, as effect writes it: it reads them by hooks, as it would metrics of its own. */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import type { HistogramSample, MetricFamily, MetricLabels, NumberSample } from "../../api/metrics.ts"

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

/** Samples that are written in one go: a server has thousands, and nobody waits for all of them. */
const mostAtOnce = 32

/** Some samples of a family, of which the first have its type and help before them. */
interface FamilyPart {
  readonly family: MetricFamily
  readonly isFirst: boolean
}

/** Families in parts that are each written in a fraction of a millisecond. One without samples is left out: a type alone tells nothing. */
export const inParts = (families: ReadonlyArray<MetricFamily>): ReadonlyArray<FamilyPart> =>
  families.flatMap((family) => {
    const parts: Array<FamilyPart> = []
    for (let from = 0; from < family.samples.length; from += mostAtOnce)
      parts.push({ family: withSamples(family, from), isFirst: from === 0 })
    return parts
  })

const withSamples = (family: MetricFamily, from: number): MetricFamily =>
  family.type === "histogram"
    ? { ...family, samples: family.samples.slice(from, from + mostAtOnce) }
    : { ...family, samples: family.samples.slice(from, from + mostAtOnce) }

/** The same figures with further labels: those of one of several processes that answer at one port. */
export const labelled = (families: ReadonlyArray<MetricFamily>, further: MetricLabels): ReadonlyArray<MetricFamily> => {
  const marked = <S extends { readonly labels: MetricLabels }>(samples: ReadonlyArray<S>) =>
    samples.map((sample) => ({ ...sample, labels: { ...sample.labels, ...further } }))
  return families.map((family) =>
    family.type === "histogram"
      ? { ...family, samples: marked(family.samples) }
      : { ...family, samples: marked(family.samples) },
  )
}

/** The lines of a part, each with its end. */
export const writePart = ({ family: { name, help, type, samples }, isFirst }: FamilyPart): string => {
  const registry: Metric.MetricRegistry = new Map()
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
  const text = formatUnsafe(Context.make(Metric.MetricRegistry, registry))
  return isFirst ? text : text.replace(/^(?:#.*\n)+/, "")
}
