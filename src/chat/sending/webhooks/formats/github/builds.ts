/** What GitHub's actions, checks and deployments have come to. Only ends are told: each run has many events. */

import { bold, code, link, linkOf, plain, topicOf, words } from "../markup.ts"
import { at, either, entryFor, listAt, textAt } from "../payload.ts"
import { messageOrIgnored, type WebhookResult } from "../webhook-result.ts"
import { repository, who } from "./names.ts"
import { shortHash } from "./push.ts"

const outcomes: Readonly<Record<string, string>> = {
  success: ":check: succeeded",
  failure: ":cross_mark: failed",
  cancelled: "was cancelled",
  timed_out: ":cross_mark: timed out",
  action_required: "needs somebody's approval",
  startup_failure: ":cross_mark: could not begin",
  neutral: "ended",
}

export const workflowRun = (payload: unknown): WebhookResult => {
  const run = at(payload, "workflow_run")
  const outcome = entryFor(outcomes, textAt(run, "conclusion"))
  if (textAt(payload, "action") !== "completed" || outcome === undefined) return { ignoredEvent: "workflow_run" }
  const name = either(textAt(run, "name"), textAt(payload, "workflow", "name"), "Workflow")
  const branch = textAt(run, "head_branch")
  const hash = code(shortHash(textAt(run, "head_sha")))
  const said = words(link(name, textAt(run, "html_url")), outcome, "on", words(code(branch), hash && `(${hash})`))
  return messageOrIgnored("workflow_run", topicOf(repository(payload), either(branch, "checks")), `${said}.`)
}

export const checkRun = (payload: unknown): WebhookResult => {
  const run = at(payload, "check_run")
  const outcome = entryFor(outcomes, textAt(run, "conclusion"))
  if (textAt(payload, "action") !== "completed" || outcome === undefined) return { ignoredEvent: "check_run" }
  const url = either(textAt(run, "html_url"), textAt(run, "details_url"))
  const branch = textAt(run, "check_suite", "head_branch")
  const hash = code(shortHash(textAt(run, "head_sha")))
  const said = words("Check", link(either(textAt(run, "name"), "check"), url), outcome, "on", hash)
  return messageOrIgnored("check_run", topicOf(repository(payload), either(branch, "checks")), `${said}.`)
}

/** A check by another program, in the interface that was there before checks. */
const states: Readonly<Record<string, string>> = {
  success: ":check: succeeded",
  failure: ":cross_mark: failed",
  error: ":cross_mark: had an error",
}

export const status = (payload: unknown): WebhookResult => {
  const outcome = entryFor(states, textAt(payload, "state"))
  if (outcome === undefined) return { ignoredEvent: "status" }
  const name = link(either(textAt(payload, "context"), "status"), textAt(payload, "target_url"))
  const hash = code(shortHash(textAt(payload, "sha")))
  const commit = hash === "" ? "" : linkOf(hash, textAt(payload, "commit", "html_url"))
  const said = textAt(payload, "description")
  const branches = listAt(payload, "branches")
  const branch = branches.length === 1 ? textAt(branches[0], "name") : ""
  const sentence = words("Check", name, outcome, "on", commit)
  return messageOrIgnored(
    "status",
    topicOf(repository(payload), either(branch, "checks")),
    `${sentence}${said === "" ? "." : `: ${plain(said)}`}`,
  )
}

const deploymentTopic = (payload: unknown, environment: string): string =>
  topicOf(repository(payload), words("deployment on", either(environment, "somewhere")))

export const deployment = (payload: unknown): WebhookResult => {
  const given = at(payload, "deployment")
  const environment = textAt(given, "environment")
  const ref = code(textAt(given, "ref"))
  const to = environment === "" ? "" : `to ${bold(environment)}`
  const said = textAt(given, "description")
  const sentence = words(who(payload), "began a deployment", ref === "" ? "" : `of ${ref}`, to)
  return messageOrIgnored(
    "deployment",
    deploymentTopic(payload, environment),
    `${sentence}${said === "" ? "." : `: ${plain(said)}`}`,
  )
}

export const deploymentStatus = (payload: unknown): WebhookResult => {
  const [given, of] = [at(payload, "deployment_status"), at(payload, "deployment")]
  const outcome = entryFor(states, textAt(given, "state"))
  if (outcome === undefined) return { ignoredEvent: "deployment_status" }
  const environment = either(textAt(given, "environment"), textAt(of, "environment"))
  const page = either(...["environment_url", "log_url", "target_url"].map((key) => textAt(given, key)))
  const ref = code(textAt(of, "ref"))
  const to = environment === "" ? "" : `to ${bold(environment)}`
  const said = textAt(given, "description")
  const sentence = words(link("Deployment", page), ref === "" ? "" : `of ${ref}`, to, outcome)
  return messageOrIgnored(
    "deployment_status",
    deploymentTopic(payload, environment),
    `${sentence}${said === "" ? "." : `: ${plain(said)}`}`,
  )
}

/** A deployment that waits for somebody's approval, or has it. */
export const deploymentReview = (payload: unknown): WebhookResult => {
  const [run, environment] = [at(payload, "workflow_run"), textAt(payload, "environment")]
  const name = link(either(textAt(run, "name"), "A deployment"), textAt(run, "html_url"))
  const by = bold(either(textAt(payload, "approver", "login"), "someone"))
  const reviewers = listAt(payload, "reviewers")
    .slice(0, 10)
    .map((each) => bold(either(textAt(each, "reviewer", "login"), textAt(each, "reviewer", "name"))))
    .filter((each) => each !== "")
    .join(", ")
  const to = environment === "" ? "" : `to ${bold(environment)}`
  const done = entryFor(
    {
      requested: words(name, to, "waits for approval", reviewers === "" ? "" : `by ${reviewers}`),
      approved: words(by, "approved", name, to),
      rejected: words(by, "rejected", name, to),
    },
    textAt(payload, "action"),
  )
  if (done === undefined) return { ignoredEvent: "deployment_review" }
  const comment = textAt(payload, "comment")
  return messageOrIgnored(
    "deployment_review",
    deploymentTopic(payload, environment),
    `${done}${comment === "" ? "." : `: ${plain(comment)}`}`,
  )
}

export const pageBuild = (payload: unknown): WebhookResult => {
  const build = at(payload, "build")
  const outcome = entryFor({ built: ":check: succeeded", errored: ":cross_mark: failed" }, textAt(build, "status"))
  if (outcome === undefined) return { ignoredEvent: "page_build" }
  const by = textAt(build, "pusher", "login")
  const why = textAt(build, "error", "message")
  const sentence = words("The build of the pages", by === "" ? "" : `for ${bold(by)}`, outcome)
  return messageOrIgnored(
    "page_build",
    topicOf(repository(payload), "pages"),
    `${sentence}${why === "" ? "." : `: ${plain(why)}`}`,
  )
}
