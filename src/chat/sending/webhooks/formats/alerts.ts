/** What Prometheus' Alertmanager and Grafana say of single alerts; the two have nearly the same shape. */

import { bold, code, link, plain, plainLines, topicOf, words } from "./markup.ts"
import { either, textAt, textsAt } from "./payload.ts"
import { messageOrIgnored, type WebhookChoices, type WebhookResult } from "./webhook-result.ts"

export type AlertStatus = "firing" | "resolved"

export const isAlertStatus = (text: string): text is AlertStatus => text === "firing" || text === "resolved"

const marks: Readonly<Record<AlertStatus, string>> = { firing: ":alert: Firing", resolved: ":check: Resolved" }

/** Names of labels that are said elsewhere, or are of no interest to people. */
const left = /^(alertname|alert_name|rulename|__.*__|grafana_folder|ref_id|datasource_uid)$/
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

/** Where programs put the name of an alert, what counts most first: many write to what expects an Alertmanager. */
const ofName = [
  ["labels", "alertname"],
  ["labels", "alert_name"],
  ["labels", "rulename"],
  ["annotations", "alertname"],
  ["alertname"],
  ["ruleName"],
  ["name"],
  ["title"],
  ["labels", "alert"],
  ["annotations", "title"],
  ["annotations", "name"],
  ["labels", "name"],
] as const

/** Empty where it has none. */
export const alertName = (alert: unknown): string => either(...ofName.map((path) => textAt(alert, ...path)))

/** The label or annotation that the address names as the topic. */
export const chosenName = (of: unknown, { topicLabel }: WebhookChoices): string =>
  topicLabel === "" ? "" : either(textAt(of, "labels", topicLabel), textAt(of, "annotations", topicLabel))

const chosenText = (alert: unknown, { textLabel }: WebhookChoices): string =>
  textLabel === "" ? "" : either(textAt(alert, "annotations", textLabel), textAt(alert, "labels", textLabel))

/** What has no alert, but says something, as the message by which a monitor is tried out. */
export const messageAlone = (payload: unknown): WebhookResult | undefined => {
  const title = textAt(payload, "title")
  const text = either(...["text", "message", "msg", "body"].map((key) => textAt(payload, key)), title)
  return text === "" ? undefined : messageOrIgnored("", topicOf(title), plainLines(text))
}

/** A paragraph: what it is, what it says, of what, and where to look. */
export const alertText = (alert: unknown, fallback: AlertStatus, choices: WebhookChoices): string => {
  const own = textAt(alert, "status")
  const status = isAlertStatus(own) ? own : fallback
  const name = either(chosenName(alert, choices), alertName(alert), "alert")
  const chosen = chosenText(alert, choices)
  const summary = chosen === "" ? textAt(alert, "annotations", "summary") : ""
  const usual = ["description", "message"].map((key) => textAt(alert, "annotations", key))
  const description = either(chosen, ...(choices.isDescribed ? usual : []))
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
