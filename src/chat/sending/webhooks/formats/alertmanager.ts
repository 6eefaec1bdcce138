/** Prometheus' Alertmanager: a group of alerts, each firing or resolved. */

import { alertName, alertText, chosenName, isAlertStatus, messageAlone } from "./alerts.ts"
import { oneLine, topicOf } from "./markup.ts"
import { at, either, listAt, textAt, textsAt } from "./payload.ts"
import type { WebhookChoices, WebhookFormat } from "./webhook-result.ts"
import { messageOrIgnored, usualChoices } from "./webhook-result.ts"

export const mostAlerts = 10

/** The paragraphs of a group's alerts, and how many are left out. */
export const groupText = (
  alerts: ReadonlyArray<unknown>,
  status: "firing" | "resolved",
  truncated: number,
  choices: WebhookChoices,
): string => {
  const more = Math.max(0, alerts.length - mostAlerts) + truncated
  const shown = alerts.slice(0, mostAlerts).map((alert) => alertText(alert, status, choices))
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join("\n\n")
}

/** What the alerts of a group are called by the label that the address names: all of them, if they differ. */
const chosenTopic = (payload: unknown, choices: WebhookChoices): string => {
  const common = { labels: at(payload, "commonLabels"), annotations: at(payload, "commonAnnotations") }
  const shared = either(chosenName({ labels: at(payload, "groupLabels") }, choices), chosenName(common, choices))
  if (shared !== "" || choices.topicLabel === "") return shared
  const names = listAt(payload, "alerts")
    .slice(0, mostAlerts)
    .map((alert) => chosenName(alert, choices))
  return [...new Set(names)].filter((name) => name !== "").join(", ")
}

/** By what its alerts have in common: the name of the alert, else the labels by which it was grouped. */
export const groupTopic = (payload: unknown, choices: WebhookChoices): string =>
  topicOf(
    either(
      chosenTopic(payload, choices),
      alertName({ labels: at(payload, "groupLabels") }),
      alertName({ labels: at(payload, "commonLabels") }),
      oneLine(
        textsAt(payload, "groupLabels")
          .map(([name, value]) => `${name}=${value}`)
          .join(", "),
      ),
      alertName(listAt(payload, "alerts")[0]),
      textAt(payload, "receiver"),
    ),
  )

export const alertmanager: WebhookFormat = (payload, _event, choices = usualChoices) => {
  const [status, alerts] = [textAt(payload, "status"), listAt(payload, "alerts")]
  if (!isAlertStatus(status) && alerts.length === 0)
    return messageAlone(payload) ?? { refused: "This does not come from an Alertmanager" }
  if (alerts.length === 0) return { ignoredEvent: status }
  const all = isAlertStatus(status) ? status : "firing"
  const truncated = Number(textAt(payload, "truncatedAlerts")) || 0
  return messageOrIgnored(all, groupTopic(payload, choices), groupText(alerts, all, truncated, choices))
}
