/** The services whose web hooks are understood, by the names in their addresses. */
import { alertmanager } from "./formats/alertmanager.ts"
import { github } from "./formats/github.ts"
import { gitlab } from "./formats/gitlab.ts"
import { grafana } from "./formats/grafana.ts"
import type { Format } from "./formats/heard.ts"
import { json } from "./formats/json.ts"
import { slack } from "./formats/slack.ts"

export interface Integration {
  readonly name: string
  readonly format: Format
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
