/** The services whose web hooks are understood, by the names in their addresses. */
import { alertmanager } from "./formats/alertmanager.ts"
import { github } from "./formats/github/github.ts"
import { gitlab } from "./formats/gitlab/gitlab.ts"
import { grafana } from "./formats/grafana.ts"
import { json } from "./formats/json.ts"
import { slack } from "./formats/slack/slack.ts"
import type { WebhookFormat } from "./formats/webhook-result.ts"

export interface Integration {
  readonly name: string
  readonly format: WebhookFormat
  /** The topic of what says none itself. */
  readonly topic: string
  /** The service whose answers its callers expect, where that is not ours. */
  readonly answers?: "slack"
}

export const integrations: ReadonlyArray<Integration> = [
  { name: "alertmanager", format: alertmanager, topic: "alerts" },
  { name: "github", format: github, topic: "GitHub" },
  { name: "gitlab", format: gitlab, topic: "GitLab" },
  { name: "grafana", format: grafana, topic: "alerts" },
  { name: "json", format: json, topic: "JSON" },
  { name: "slack_incoming", format: slack, topic: "Slack", answers: "slack" },
]
