/**
 * GitHub, and what sends the same: events by their header, in the present shape of the payloads. What people wait for is told,
 * the rest is left out with a reason (ignored-events.ts).
 */

import { oneLine } from "../markup.ts"
import { textAt } from "../payload.ts"
import type { WebhookChoices, WebhookFormat, WebhookResult } from "../webhook-result.ts"
import { usualChoices } from "../webhook-result.ts"
import { checkRun, deployment, deploymentReview, deploymentStatus, pageBuild, status, workflowRun } from "./builds.ts"
import { commitComment, discussion, discussionComment, issueComment, review, reviewComment } from "./comments.ts"
import { whyUntold } from "./ignored-events.ts"
import { issues, pullRequest } from "./issues.ts"
import { push } from "./push.ts"
import {
  fork,
  made,
  member,
  membership,
  milestone,
  organization,
  packaged,
  ping,
  published,
  release,
  repositoryEvent,
  sponsorship,
  starred,
  team,
  teamAdded,
  wikiPages,
} from "./repositories-and-teams.ts"

const formats: ReadonlyMap<string, (payload: unknown, choices: WebhookChoices) => WebhookResult> = new Map([
  ["push", push],
  ["pull_request", pullRequest],
  ["issues", issues],
  ["issue_comment", issueComment],
  ["pull_request_review", review],
  ["pull_request_review_comment", reviewComment],
  ["commit_comment", commitComment],
  ["discussion", discussion],
  ["discussion_comment", discussionComment],
  ["create", made("create")],
  ["delete", made("delete")],
  ["release", release],
  ["gollum", wikiPages],
  ["workflow_run", workflowRun],
  ["check_run", checkRun],
  ["status", status],
  ["deployment", deployment],
  ["deployment_status", deploymentStatus],
  ["deployment_review", deploymentReview],
  ["page_build", pageBuild],
  ["milestone", milestone],
  ["fork", fork],
  ["star", starred("star")],
  ["watch", starred("watch")],
  ["repository", repositoryEvent],
  ["public", published],
  ["team", team],
  ["team_add", teamAdded],
  ["member", member],
  ["membership", membership],
  ["organization", organization],
  ["package", packaged("package")],
  ["registry_package", packaged("registry_package")],
  ["sponsorship", sponsorship],
  ["ping", ping],
])

export const github: WebhookFormat = (payload, event, choices = usualChoices) => {
  if (event === "") return { refused: "The X-GitHub-Event header is missing: this does not come from GitHub" }
  const heard = formats.get(event)?.(payload, choices)
  if (heard !== undefined && !("ignoredEvent" in heard)) return heard
  const action = oneLine(textAt(payload, "action"), 100)
  const ignoredEvent = action === "" ? event : `${event}.${action}`
  const reason = whyUntold(event, action)
  return reason === undefined ? { ignoredEvent } : { ignoredEvent, reason }
}
