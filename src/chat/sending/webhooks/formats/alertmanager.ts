/** Prometheus' Alertmanager: a group of alerts, each firing or resolved. */

import { alertText, isAlertStatus } from "./alerts.ts"
import type { Format } from "./heard.ts"
import { say } from "./heard.ts"
import { oneLine, topicOf } from "./markup.ts"
import { either, listAt, textAt, textsAt } from "./payload.ts"

export const mostAlerts = 10

/** The paragraphs of a group's alerts, and how many are left out. */
export const groupText = (alerts: ReadonlyArray<unknown>, status: "firing" | "resolved", truncated: number): string => {
  const more = Math.max(0, alerts.length - mostAlerts) + truncated
  const shown = alerts.slice(0, mostAlerts).map((alert) => alertText(alert, status))
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join("\n\n")
}

/** By what its alerts have in common: the name of the alert, else the labels by which it was grouped. */
export const groupTopic = (payload: unknown): string =>
  topicOf(
    either(
      textAt(payload, "groupLabels", "alertname"),
      textAt(payload, "commonLabels", "alertname"),
      oneLine(
        textsAt(payload, "groupLabels")
          .map(([name, value]) => `${name}=${value}`)
          .join(", "),
      ),
      textAt(listAt(payload, "alerts")[0], "labels", "alertname"),
      textAt(payload, "receiver"),
    ),
  )

export const alertmanager: Format = (payload) => {
  const [status, alerts] = [textAt(payload, "status"), listAt(payload, "alerts")]
  if (!isAlertStatus(status) && alerts.length === 0) return { refused: "This does not come from an Alertmanager" }
  if (alerts.length === 0) return { ignored: status }
  const all = isAlertStatus(status) ? status : "firing"
  return say(all, groupTopic(payload), groupText(alerts, all, Number(textAt(payload, "truncatedAlerts")) || 0))
}
