/** Grafana: its present alerting, in groups, and the one before version 9, a rule at a time. */

import { groupText, groupTopic } from "./alertmanager.ts"
import { isAlertStatus } from "./alerts.ts"
import type { Format, Heard } from "./heard.ts"
import { say } from "./heard.ts"
import { bold, bullets, link, plain, plainLines, topicOf, words } from "./markup.ts"
import { either, known, listAt, textAt } from "./payload.ts"

const states: Readonly<Record<string, string>> = {
  alerting: ":alert: Alerting",
  ok: ":check: OK",
  no_data: ":warning: No data",
  pending: "Pending",
  paused: "Paused",
}

const legacy = (payload: unknown, state: string): Heard => {
  const rule = either(textAt(payload, "ruleName"), textAt(payload, "title"), "alert")
  const values = listAt(payload, "evalMatches")
  const line = (match: unknown) =>
    `${plain(either(textAt(match, "metric"), "value"))} = ${plain(either(textAt(match, "value"), "none"))}`
  const content = [
    words(`${known(states, state) ?? bold(state)}:`, link(rule, textAt(payload, "ruleUrl"))),
    plainLines(textAt(payload, "message")),
    values.length === 0 ? "" : `\n${bullets(values, line)}`,
    textAt(payload, "imageUrl") === "" ? "" : `\n${link("graph", textAt(payload, "imageUrl"))}`,
  ]
  return say(state, topicOf(rule), content.filter((line) => line !== "").join("\n"))
}

export const grafana: Format = (payload) => {
  const [state, status, alerts] = [textAt(payload, "state"), textAt(payload, "status"), listAt(payload, "alerts")]
  if (alerts.length > 0) {
    const all = isAlertStatus(status) ? status : "firing"
    const topic = either(groupTopic(payload), topicOf(textAt(payload, "title")))
    return say(all, topic, groupText(alerts, all, Number(textAt(payload, "truncatedAlerts")) || 0))
  }
  if (state === "" && status === "") return { refused: "This does not come from Grafana's alerting" }
  return state === "" ? { ignored: status } : legacy(payload, state)
}
