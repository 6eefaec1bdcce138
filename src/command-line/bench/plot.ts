/** Draws how a figure grows with the size: a small SVG, both axes logarithmic, one line per series. */
import type { FigureRow } from "./figure-table.ts"

export interface PlotSeries {
  readonly name: string
  readonly points: ReadonlyArray<readonly [x: number, y: number]>
}

const width = 720
const height = 420
const margin = { left: 70, right: 190, top: 40, bottom: 50 }
const colours = ["#0b6e99", "#d9730d", "#448361", "#9065b0", "#c14c8a", "#787774"]

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** Powers of ten around the values. */
const decades = (values: ReadonlyArray<number>): readonly [number, number] => [
  Math.floor(Math.log10(Math.min(...values))),
  Math.ceil(Math.log10(Math.max(...values))),
]

export const plot = (title: string, xName: string, yName: string, series: ReadonlyArray<PlotSeries>): string => {
  const drawn = series.filter(({ points }) => points.length > 0)
  const all = drawn.flatMap(({ points }) => points)
  const [x0, x1] = decades(all.map(([x]) => x))
  const [y0, y1] = decades(all.map(([, y]) => y))
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom }
  const toX = (x: number) => margin.left + ((Math.log10(x) - x0) / Math.max(1, x1 - x0)) * inner.width
  const toY = (y: number) => margin.top + inner.height - ((Math.log10(y) - y0) / Math.max(1, y1 - y0)) * inner.height
  const between = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
  const text = (x: number, y: number, value: string, anchor: string) =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(value)}</text>`
  const line = (x: number, y: number, toX2: number, toY2: number) =>
    `<line x1="${x.toFixed(1)}" y1="${y.toFixed(1)}" x2="${toX2.toFixed(1)}" y2="${toY2.toFixed(1)}" stroke="#e3e2e0"/>`
  const bottom = margin.top + inner.height
  const right = margin.left + inner.width
  const grid = [
    ...between(x0, x1).flatMap((x) => [
      line(toX(x), margin.top, toX(x), bottom),
      text(toX(x), bottom + 18, x.toLocaleString("en"), "middle"),
    ]),
    ...between(y0, y1).flatMap((y) => [
      line(margin.left, toY(y), right, toY(y)),
      text(margin.left - 8, toY(y) + 4, y.toLocaleString("en"), "end"),
    ]),
  ]
  const lines = drawn.flatMap(({ name, points }, index) => {
    const colour = colours[index % colours.length] ?? "#000"
    const path = points.map(([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(" ")
    const y = margin.top + 16 * index + 8
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(([x, y]) => `<circle cx="${toX(x).toFixed(1)}" cy="${toY(y).toFixed(1)}" r="3" fill="${colour}"/>`),
      `<line x1="${right + 12}" y1="${y}" x2="${right + 32}" y2="${y}" stroke="${colour}" stroke-width="2"/>`,
      text(right + 38, y + 4, name, "start"),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(margin.left, 22, title, "start"),
    text(margin.left + inner.width / 2, height - 12, xName, "middle"),
    text(12, margin.top - 8, yName, "start"),
    ...grid,
    ...lines,
    "</svg>",
  ].join("\n")
}

/** The place of a series in a table: `label` captures the size, and `figure` is the column. */
export interface PlotColumn {
  readonly name: string
  readonly label: RegExp
  readonly figure: string
}

/** How columns of a table grow with the size that stands in its labels; null where there is nothing to draw. */
export const growth = (
  title: string,
  xName: string,
  yName: string,
  rows: ReadonlyArray<FigureRow>,
  columns: ReadonlyArray<PlotColumn>,
): string | null => {
  const series = columns.map(({ name, label, figure }) => ({
    name,
    points: rows.flatMap((row) => {
      const size = Number(label.exec(row.label)?.[1])
      const value = row.figures[figure] ?? Number.NaN
      return size > 0 && value > 0 ? [[size, value] as const] : []
    }),
  }))
  return series.every(({ points }) => points.length === 0) ? null : plot(title, xName, yName, series)
}
