/** That every kind of GitHub's events is told, or left out with a reason, and what addresses may choose. */
import t from "tap"
import { github } from "../../../../src/chat/sending/webhooks/formats/github/github.ts"
import { whyUntold } from "../../../../src/chat/sending/webhooks/formats/github/ignored-events.ts"
import { usualChoices } from "../../../../src/chat/sending/webhooks/formats/webhook-result.ts"
import { moreOfGithub } from "./github-payloads.ts"
import { inGithub, issue, pull, samples } from "./payloads.ts"

/** As GitHub's page of web hook events and payloads lists them. */
const kinds =
  "branch_protection_configuration branch_protection_rule check_run check_suite code_scanning_alert commit_comment create " +
  "custom_property custom_property_promoted_to_enterprise custom_property_values delete dependabot_alert deploy_key " +
  "deployment deployment_protection_rule deployment_review deployment_status discussion discussion_comment fork " +
  "github_app_authorization gollum installation installation_repositories installation_target issue_comment " +
  "issue_dependencies issues label marketplace_purchase member membership merge_group meta milestone org_block " +
  "organization package page_build personal_access_token_request ping project project_card project_column projects_v2 " +
  "projects_v2_item projects_v2_status_update public pull_request pull_request_review pull_request_review_comment " +
  "pull_request_review_thread push registry_package release repository repository_advisory repository_dispatch " +
  "repository_import repository_ruleset repository_vulnerability_alert secret_scanning_alert " +
  "secret_scanning_alert_location secret_scanning_scan security_advisory security_and_analysis sponsorship star status " +
  "sub_issues team team_add watch workflow_dispatch workflow_job workflow_run"

t.test("every kind of event is told, or there is a reason why not", async (t) => {
  const told = new Set(
    [...samples, ...moreOfGithub].flatMap(({ integration, event, said }) =>
      integration === "github" && said !== null ? [event] : [],
    ),
  )
  // A sample of it would be one of comments: the same function makes it.
  told.add("commit_comment")
  t.strictSame(
    kinds.split(" ").filter((kind) => !told.has(kind) && whyUntold(kind, "") === undefined),
    [],
  )
  for (const { event, payload, said } of [...samples, ...moreOfGithub].filter(
    ({ integration }) => integration === "github",
  ))
    if (said === null) t.match(github(payload, event), { ignoredEvent: String, reason: /^[A-Z]/ }, event)
})

t.test("what is not known has no reason", async (t) => {
  t.strictSame(github({ action: "of 2040" }, "issues"), { ignoredEvent: "issues.of 2040" })
  t.strictSame(github({}, "constructor"), { ignoredEvent: "constructor" })
})

t.test("a comment on a commit", async (t) => {
  const comment = { html_url: "https://a.example/c", commit_id: "2222222222222222", body: "<b>No</b>" }
  const { payload } = inGithub("commit_comment", { action: "created", comment })
  const content = "**hamlet** [commented](https://a.example/c) on commit `22222222222`:\n~~~~ quote\nNo\n~~~~"
  t.match(github(payload, "commit_comment"), { topic: "castle", content })
})

t.test("descriptions can be left out, what somebody says cannot", async (t) => {
  const none = { ...usualChoices, isDescribed: false }
  const opened = inGithub("issues", { action: "opened", issue }).payload
  const link = "[#5 A ghost at night](https://github.com/elsinore/castle/issues/5)"
  t.match(github(opened, "issues", none), { content: `**hamlet** opened issue ${link}.` })
  const pulled = inGithub("pull_request", { action: "opened", pull_request: pull }).payload
  t.match(github(pulled, "pull_request", none), { content: /`main`\.$/ })
  const comment = { html_url: "https://a.example/c", body: "Aye" }
  const said = inGithub("issue_comment", { action: "created", issue, comment }).payload
  t.match(github(said, "issue_comment", none), { content: /~~~~ quote\nAye\n~~~~$/ })
})
