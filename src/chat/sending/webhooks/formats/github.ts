/**
 * GitHub, and what sends the same: events of repositories by their header, in the present shape of the payloads. Of actions
 * only those are told that people wait for; labels, assignments and edits are not.
 */

import { checkRun, release, workflowRun } from "./github-builds.ts"
import { push, refName } from "./github-push.ts"
import type { Format, Heard } from "./heard.ts"
import { say } from "./heard.ts"
import { bold, code, link, plain, quote, topicOf, words } from "./markup.ts"
import { at, either, isTrue, known, textAt } from "./payload.ts"

const who = (payload: unknown): string => bold(either(textAt(payload, "sender", "login"), "someone"))
const repository = (payload: unknown): string => textAt(payload, "repository", "name")

/** `repository / issue #5 title` */
const topicAbout = (payload: unknown, kind: string, thing: unknown): string => {
  const number = textAt(thing, "number")
  const about = words(kind, number === "" ? "" : `#${number}`, textAt(thing, "title"))
  return topicOf(repository(payload), about)
}

const linkTo = (thing: unknown, kind: string): string => {
  const number = textAt(thing, "number")
  return words(kind, link(words(number === "" ? "" : `#${number}`, textAt(thing, "title")), textAt(thing, "html_url")))
}

const tellsOfPulls: Readonly<Record<string, string>> = {
  opened: "opened",
  closed: "closed",
  reopened: "reopened",
  ready_for_review: "marked as ready for review",
  converted_to_draft: "made a draft of",
}

const pullRequest = (payload: unknown): Heard => {
  const pull = at(payload, "pull_request")
  const action = textAt(payload, "action")
  const topic = topicAbout(payload, "PR", pull)
  if (action === "review_requested") {
    const asked = either(textAt(payload, "requested_reviewer", "login"), textAt(payload, "requested_team", "name"))
    return say("pull_request", topic, `${words(who(payload), "asked", bold(asked), "to review", linkTo(pull, "PR"))}.`)
  }
  if (action === "synchronize") {
    return say("pull_request", topic, `${words(who(payload), "updated", linkTo(pull, "PR"))}.`)
  }
  const done = action === "closed" && isTrue(pull, "merged") ? "merged" : known(tellsOfPulls, action)
  if (done === undefined) return { ignored: `pull_request.${action}` }
  const [from, to] = [code(textAt(pull, "head", "ref")), code(textAt(pull, "base", "ref"))]
  const branches = action === "opened" && from !== "" && to !== "" ? `from ${from} to ${to}` : ""
  const body = action === "opened" ? quote(textAt(pull, "body")) : ""
  return say("pull_request", topic, `${words(who(payload), done, linkTo(pull, "PR"), branches)}.${body}`)
}

const issues = (payload: unknown): Heard => {
  const issue = at(payload, "issue")
  const action = textAt(payload, "action")
  const told = ["opened", "closed", "reopened", "deleted", "transferred", "pinned", "locked"]
  const topic = topicAbout(payload, "issue", issue)
  if (action === "assigned") {
    const to = bold(textAt(payload, "assignee", "login"))
    return say("issues", topic, `${words(who(payload), "assigned", to, "to", linkTo(issue, "issue"))}.`)
  }
  if (!told.includes(action)) return { ignored: `issues.${action}` }
  const body = action === "opened" ? quote(textAt(issue, "body")) : ""
  return say("issues", topic, `${words(who(payload), action, linkTo(issue, "issue"))}.${body}`)
}

const issueComment = (payload: unknown): Heard => {
  const [issue, comment, action] = [at(payload, "issue"), at(payload, "comment"), textAt(payload, "action")]
  if (action !== "created") return { ignored: `issue_comment.${action}` }
  const kind = at(issue, "pull_request") === undefined ? "issue" : "PR"
  const said = words(who(payload), link("commented", textAt(comment, "html_url")), "on", linkTo(issue, kind))
  return say("issue_comment", topicAbout(payload, kind, issue), `${said}:${quote(textAt(comment, "body"))}`)
}

const verdicts: Readonly<Record<string, string>> = {
  approved: "approved",
  changes_requested: "requested changes to",
  commented: "reviewed",
}

const review = (payload: unknown): Heard => {
  const [pull, given, action] = [at(payload, "pull_request"), at(payload, "review"), textAt(payload, "action")]
  const dismissed = action === "dismissed" ? "dismissed a review of" : undefined
  const done = action === "submitted" ? known(verdicts, textAt(given, "state").toLowerCase()) : dismissed
  const body = quote(textAt(given, "body"))
  // Comments on lines come as events of their own, each with an empty review beside it.
  if (done === undefined || (done === "reviewed" && body === "")) return { ignored: `pull_request_review.${action}` }
  const said = words(who(payload), link(done, textAt(given, "html_url")), linkTo(pull, "PR"))
  return say("pull_request_review", topicAbout(payload, "PR", pull), `${said}${body === "" ? "." : `:${body}`}`)
}

const reviewComment = (payload: unknown): Heard => {
  const [pull, comment, action] = [at(payload, "pull_request"), at(payload, "comment"), textAt(payload, "action")]
  if (action !== "created") return { ignored: `pull_request_review_comment.${action}` }
  const path = code(textAt(comment, "path"))
  const said = words(who(payload), link("commented", textAt(comment, "html_url")), "on", path, "in", linkTo(pull, "PR"))
  const body = quote(textAt(comment, "body"))
  return say("pull_request_review_comment", topicAbout(payload, "PR", pull), `${said}:${body}`)
}

const commitComment = (payload: unknown): Heard => {
  const comment = at(payload, "comment")
  const commit = code(textAt(comment, "commit_id").slice(0, 11))
  const said = words(who(payload), link("commented", textAt(comment, "html_url")), "on commit", commit)
  return say("commit_comment", topicOf(repository(payload)), `${said}:${quote(textAt(comment, "body"))}`)
}

const made =
  (event: "create" | "delete") =>
  (payload: unknown): Heard => {
    const [kind, name] = [textAt(payload, "ref_type"), textAt(payload, "ref")]
    const done = event === "create" ? "created" : "deleted"
    const topic = topicOf(repository(payload), kind === "branch" ? refName(name) : "")
    return say(event, topic, `${words(who(payload), done, plain(kind), code(name))}.`)
  }

const fork = (payload: unknown): Heard => {
  const [from, to] = [at(payload, "repository"), at(payload, "forkee")]
  const name = (each: unknown) => link(textAt(each, "full_name"), textAt(each, "html_url"))
  return say("fork", topicOf(repository(payload)), `${words(who(payload), "forked", name(from), "to", name(to))}.`)
}

const starred =
  (event: "star" | "watch") =>
  (payload: unknown): Heard => {
    const done = known({ created: "starred", deleted: "unstarred", started: "starred" }, textAt(payload, "action"))
    if (done === undefined) return { ignored: event }
    const name = link(textAt(payload, "repository", "full_name"), textAt(payload, "repository", "html_url"))
    return say(event, topicOf(repository(payload)), `${words(who(payload), done, name)}.`)
  }

const ping = (payload: unknown): Heard => {
  const place = either(textAt(payload, "repository", "full_name"), textAt(payload, "organization", "login"))
  const by = at(payload, "sender") === undefined ? "" : `by ${who(payload)}`
  return say(
    "ping",
    topicOf(repository(payload)),
    `${words("The webhook of", plain(either(place, "GitHub")), "was set up", by)}.`,
  )
}

const formats: ReadonlyMap<string, (payload: unknown) => Heard> = new Map([
  ["push", push],
  ["pull_request", pullRequest],
  ["issues", issues],
  ["issue_comment", issueComment],
  ["pull_request_review", review],
  ["pull_request_review_comment", reviewComment],
  ["commit_comment", commitComment],
  ["create", made("create")],
  ["delete", made("delete")],
  ["release", release],
  ["workflow_run", workflowRun],
  ["check_run", checkRun],
  ["fork", fork],
  ["star", starred("star")],
  ["watch", starred("watch")],
  ["ping", ping],
])

export const github: Format = (payload, event) => {
  if (event === "") return { refused: "The X-GitHub-Event header is missing: this does not come from GitHub" }
  return formats.get(event)?.(payload) ?? { ignored: event }
}
