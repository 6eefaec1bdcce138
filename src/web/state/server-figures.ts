/** What `GET /metrics` says, read from Prometheus' text format. */

export interface FigureSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ServerFigure {
  readonly name: string
  readonly help: string
  readonly samples: ReadonlyArray<FigureSample>
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign))

const labelsOf = (text: string): FigureSample["labels"] =>
  Object.fromEntries([...text.matchAll(label)].map(([, name = "", value = ""]) => [name, unescaped(value)]))

/** Each name once, in the order of the text; what is no line of the format is passed over. */
export const readFigures = (text: string): ReadonlyMap<string, ServerFigure> => {
  const helps = new Map<string, string>()
  const figures = new Map<string, ServerFigure>()
  for (const each of text.split("\n")) {
    const [, about, said = ""] = /^# HELP (\S+) (.*)$/.exec(each) ?? []
    if (about !== undefined) helps.set(about, unescaped(said))
    const [, name, labels = "", value = ""] = line.exec(each) ?? []
    if (name === undefined) continue
    const known = figures.get(name)
    const sample = { labels: labelsOf(labels), value: Number(value) }
    figures.set(name, { name, help: helps.get(name) ?? "", samples: [...(known?.samples ?? []), sample] })
  }
  return figures
}

export const sumOf = (figure: ServerFigure | undefined): number =>
  (figure?.samples ?? []).reduce((sum, { value }) => sum + value, 0)

export interface AnsweredEndpoint {
  readonly endpoint: string
  readonly count: number
  /** Of one answer, on average. */
  readonly milliseconds: number
}

/** The endpoints that are asked most. */
export const answeredMost = (
  figures: ReadonlyMap<string, ServerFigure>,
  most: number,
): ReadonlyArray<AnsweredEndpoint> => {
  const of = (name: string) =>
    new Map(figures.get(name)?.samples.map(({ labels, value }) => [labels["endpoint"] ?? "", value]))
  const seconds = of("parley_http_duration_seconds_sum")
  return [...of("parley_http_duration_seconds_count")]
    .map(([endpoint, count]) => ({ endpoint, count, milliseconds: (1000 * (seconds.get(endpoint) ?? 0)) / count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, most)
}

/** Refusals by what was at its limit, and other figures of one label: those that are not zero, largest first. */
export const largest = (figure: ServerFigure | undefined, name: string): ReadonlyArray<readonly [string, number]> =>
  (figure?.samples ?? [])
    .map(({ labels, value }) => [labels[name] ?? "", value] as const)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
