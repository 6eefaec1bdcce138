/** Grafana: its present alerting, in groups, and the one before version 9, a rule at a time. */

import { groupText, groupTopic } from "./alertmanager.ts"
import { isAlertStatus, messageAlone } from "./alerts.ts"
import { bold, bullets, link, plain, plainLines, topicOf, words } from "./markup.ts"
import { either, entryFor, listAt, textAt } from "./payload.ts"
import type { WebhookFormat, WebhookResult } from "./webhook-result.ts"
import { messageOrIgnored, usualChoices } from "./webhook-result.ts"

const states: Readonly<Record<string, string>> = {
  alerting: ":alert: Alerting",
  ok: ":check: OK",
  no_data: ":warning: No data",
  pending: "Pending",
  paused: "Paused",
}

const legacy = (payload: unknown, state: string): WebhookResult => {
  const rule = either(textAt(payload, "ruleName"), textAt(payload, "title"), "alert")
  const values = listAt(payload, "evalMatches")
  const line = (match: unknown) =>
    `${plain(either(textAt(match, "metric"), "value"))} = ${plain(either(textAt(match, "value"), "none"))}`
  const content = [
    words(`${entryFor(states, state) ?? bold(state)}:`, link(rule, textAt(payload, "ruleUrl"))),
    plainLines(textAt(payload, "message")),
    values.length === 0 ? "" : `\n${bullets(values, line)}`,
    textAt(payload, "imageUrl") === "" ? "" : `\n${link("graph", textAt(payload, "imageUrl"))}`,
  ]
  return messageOrIgnored(state, topicOf(rule), content.filter((line) => line !== "").join("\n"))
}

export const grafana: WebhookFormat = (payload, _event, choices = usualChoices) => {
  const [state, status, alerts] = [textAt(payload, "state"), textAt(payload, "status"), listAt(payload, "alerts")]
  if (alerts.length > 0) {
    const all = isAlertStatus(status) ? status : "firing"
    const topic = either(groupTopic(payload, choices), topicOf(textAt(payload, "title")))
    return messageOrIgnored(
      all,
      topic,
      groupText(alerts, all, Number(textAt(payload, "truncatedAlerts")) || 0, choices),
    )
  }
  if (state === "" && status === "")
    return messageAlone(payload) ?? { refused: "This does not come from Grafana's alerting" }
  return state === "" ? { ignoredEvent: status } : legacy(payload, state)
}
