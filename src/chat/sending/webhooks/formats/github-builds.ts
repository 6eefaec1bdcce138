/** What GitHub's actions and checks have come to, and releases. Only ends are told: each run has many events. */

import { shortHash } from "./github-push.ts"
import { type Heard, say } from "./heard.ts"
import { bold, code, link, quote, topicOf, words } from "./markup.ts"
import { at, either, isTrue, known, textAt } from "./payload.ts"

const repository = (payload: unknown): string => textAt(payload, "repository", "name")

const outcomes: Readonly<Record<string, string>> = {
  success: ":check: succeeded",
  failure: ":cross_mark: failed",
  cancelled: "was cancelled",
  timed_out: ":cross_mark: timed out",
  action_required: "needs somebody's approval",
  startup_failure: ":cross_mark: could not begin",
  neutral: "ended",
}

export const workflowRun = (payload: unknown): Heard => {
  const run = at(payload, "workflow_run")
  const outcome = known(outcomes, textAt(run, "conclusion"))
  if (textAt(payload, "action") !== "completed" || outcome === undefined) return { ignored: "workflow_run" }
  const name = either(textAt(run, "name"), textAt(payload, "workflow", "name"), "Workflow")
  const branch = textAt(run, "head_branch")
  const hash = code(shortHash(textAt(run, "head_sha")))
  const said = words(link(name, textAt(run, "html_url")), outcome, "on", words(code(branch), hash && `(${hash})`))
  return say("workflow_run", topicOf(repository(payload), either(branch, "checks")), `${said}.`)
}

export const checkRun = (payload: unknown): Heard => {
  const run = at(payload, "check_run")
  const outcome = known(outcomes, textAt(run, "conclusion"))
  if (textAt(payload, "action") !== "completed" || outcome === undefined) return { ignored: "check_run" }
  const url = either(textAt(run, "html_url"), textAt(run, "details_url"))
  const branch = textAt(run, "check_suite", "head_branch")
  const hash = code(shortHash(textAt(run, "head_sha")))
  const said = words("Check", link(either(textAt(run, "name"), "check"), url), outcome, "on", hash)
  return say("check_run", topicOf(repository(payload), either(branch, "checks")), `${said}.`)
}

export const release = (payload: unknown): Heard => {
  const [given, action] = [at(payload, "release"), textAt(payload, "action")]
  // `created` and `released` come together with `published`.
  if (!["published", "unpublished", "deleted"].includes(action)) return { ignored: `release.${action}` }
  const who = bold(either(textAt(payload, "sender", "login"), textAt(given, "author", "login"), "someone"))
  const kind = isTrue(given, "prerelease") ? "pre-release" : "release"
  const name = either(textAt(given, "name"), textAt(given, "tag_name"))
  const said = words(
    who,
    action,
    kind,
    link(name, textAt(given, "html_url")),
    "with tag",
    code(textAt(given, "tag_name")),
  )
  const body = action === "published" ? quote(textAt(given, "body")) : ""
  return say("release", topicOf(repository(payload), "releases"), `${said}.${body}`)
}
