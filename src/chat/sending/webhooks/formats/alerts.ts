/** What Prometheus' Alertmanager and Grafana say of single alerts; the two have nearly the same shape. */
import { bold, code, link, plain, plainLines, words } from "./markup.ts"
import { either, textAt, textsAt } from "./payload.ts"

export type AlertStatus = "firing" | "resolved"

export const isAlertStatus = (text: string): text is AlertStatus => text === "firing" || text === "resolved"

const marks: Readonly<Record<AlertStatus, string>> = { firing: ":alert: Firing", resolved: ":check: Resolved" }

/** Names of labels that are said elsewhere, or are of no interest to people. */
const left = /^(alertname|__.*__|grafana_folder|ref_id|datasource_uid)$/
const mostLabels = 10

const addresses = [
  ["source", "generatorURL"],
  ["dashboard", "dashboardURL"],
  ["panel", "panelURL"],
  ["silence", "silenceURL"],
  ["runbook", "annotations.runbook_url"],
] as const

const linksOf = (alert: unknown): string =>
  addresses
    .flatMap(([name, path]) => {
      const url = textAt(alert, ...path.split("."))
      return /^https?:\/\//i.test(url) ? [link(name, url)] : []
    })
    .join(", ")

/** `01/01/0001` is how Go writes that there is no time. */
const since = (alert: unknown): string => {
  const at = textAt(alert, "startsAt")
  const time = Date.parse(at)
  return Number.isFinite(time) && time > 0 ? `since <time:${new Date(time).toISOString()}>` : ""
}

const valuesOf = (alert: unknown): string =>
  textsAt(alert, "values")
    .slice(0, mostLabels)
    .map(([name, value]) => `${plain(name)} = ${plain(value)}`)
    .join(", ")

/** A paragraph: what it is, what it says, of what, and where to look. */
export const alertText = (alert: unknown, fallback: AlertStatus): string => {
  const own = textAt(alert, "status")
  const status = isAlertStatus(own) ? own : fallback
  const name = either(textAt(alert, "labels", "alertname"), "alert")
  const summary = textAt(alert, "annotations", "summary")
  const description = either(textAt(alert, "annotations", "description"), textAt(alert, "annotations", "message"))
  const labels = textsAt(alert, "labels")
    .filter(([label]) => !left.test(label))
    .slice(0, mostLabels)
    .map(([label, value]) => code(`${label}=${value}`))
    .join(" ")
  return [
    `${words(marks[status], bold(name), status === "firing" ? since(alert) : "")}${summary === "" ? "" : `: ${plain(summary)}`}`,
    description === summary ? "" : plainLines(description, 600),
    labels,
    valuesOf(alert),
    linksOf(alert),
  ]
    .filter((line) => line !== "")
    .join("\n")
}
