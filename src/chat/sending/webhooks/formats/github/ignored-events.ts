/** What of GitHub is not told, and why, in the words that are answered: many read them on the page of deliveries there. */

const edits = "Each save of an edit is an event"
const labels = "Labels are set several at a time, with an event for each"
const ends = "Only ends are told, other events are of steps on the way"
const twice = "Another event comes with it, and is told"
const gone = "A comment that is gone says nothing"
const alerts = "At GitHub such alerts are shown to few, a channel may have more readers"
const boards = "A board has an event for each card that is touched"
const relations = "How issues belong together is seen in them"
const settings = "It is of the settings of a repository, for those who change them"
const apps = "It is for the makers of apps"
const programs = "It is sent for programs to act on"

/** Kinds of events by their header, or one action of a kind, `issues.labeled`. Whatever is not here is not known. */
const reasons: ReadonlyArray<readonly [reason: string, events: string]> = [
  [
    edits,
    "issues.edited pull_request.edited issue_comment.edited pull_request_review.edited " +
      "pull_request_review_comment.edited discussion.edited discussion_comment.edited release.edited milestone.edited " +
      "package.updated registry_package.updated",
  ],
  [
    labels,
    "issues.labeled issues.unlabeled pull_request.labeled pull_request.unlabeled discussion.labeled " +
      "discussion.unlabeled label",
  ],
  [
    ends,
    "check_run check_suite workflow_run workflow_job status deployment_status page_build merge_group " +
      "pull_request_review_thread pull_request.review_request_removed",
  ],
  [
    twice,
    "release.created release.released release.prereleased team.added_to_repository " +
      "pull_request_review.submitted push",
  ],
  [gone, "issue_comment.deleted pull_request_review_comment.deleted discussion_comment.deleted"],
  [
    alerts,
    "code_scanning_alert dependabot_alert repository_vulnerability_alert repository_advisory secret_scanning_alert " +
      "secret_scanning_alert_location secret_scanning_scan security_advisory security_and_analysis",
  ],
  [boards, "project project_card project_column projects_v2 projects_v2_item projects_v2_status_update"],
  [relations, "sub_issues issue_dependencies issues.typed issues.untyped"],
  [
    settings,
    "branch_protection_configuration branch_protection_rule bypass_request_push_ruleset custom_property " +
      "custom_property_promoted_to_enterprise custom_property_values deploy_key deployment_protection_rule meta " +
      "exemption_request_push_ruleset org_block personal_access_token_request repository_ruleset repository_import",
  ],
  [apps, "github_app_authorization installation installation_repositories installation_target marketplace_purchase"],
  [programs, "repository_dispatch workflow_dispatch"],
]

const byEvent: ReadonlyMap<string, string> = new Map(
  reasons.flatMap(([reason, events]) => events.split(" ").map((event) => [event, reason] as const)),
)

/** Why this is not told; undefined where nobody has thought of it. */
export const whyUntold = (event: string, action: string): string | undefined =>
  byEvent.get(`${event}.${action}`) ?? byEvent.get(event)
