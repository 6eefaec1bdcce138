/** Issues and pull requests of GitHub. Labels and edits are not told, see ignored-events.ts. */

import { bold, code, link, plain, words } from "../markup.ts"
import { at, either, entryFor, isTrue, textAt } from "../payload.ts"
import { described } from "../quote.ts"
import { messageOrIgnored, type WebhookChoices, type WebhookResult } from "../webhook-result.ts"
import { linkTo, topicAbout, who } from "./names.ts"

/** What is done with both; `thing`: a link to it. */
const done = (payload: unknown, action: string, thing: string): string | undefined => {
  const [assignee, milestone] = [bold(textAt(payload, "assignee", "login")), at(payload, "milestone")]
  const to = link(textAt(milestone, "title"), textAt(milestone, "html_url"))
  switch (action) {
    case "assigned":
      return words("assigned", assignee, "to", thing)
    case "unassigned":
      return words("unassigned", assignee, "from", thing)
    case "milestoned":
      return words("added", thing, "to milestone", to)
    case "demilestoned":
      return words("removed", thing, "from milestone", to)
    case "closed":
    case "reopened":
    case "unlocked":
    case "pinned":
    case "unpinned":
    case "deleted":
      return words(action, thing)
    default:
      return undefined
  }
}

const lockOf = (thing: unknown): string => {
  const reason = textAt(thing, "active_lock_reason")
  return reason === "" ? "" : `as ${plain(reason)}`
}

const tellsOfPulls: Readonly<Record<string, string>> = {
  synchronize: "updated",
  ready_for_review: "marked as ready for review",
  converted_to_draft: "made a draft of",
  auto_merge_enabled: "enabled auto-merge for",
  auto_merge_disabled: "disabled auto-merge for",
  enqueued: "added to the merge queue",
}

export const pullRequest = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const [pull, action] = [at(payload, "pull_request"), textAt(payload, "action")]
  const thing = linkTo(pull, "PR")
  const tell = (...parts: ReadonlyArray<string>) =>
    messageOrIgnored("pull_request", topicAbout(payload, "PR", pull), `${words(who(payload), ...parts)}.`)
  if (action === "opened") {
    const [from, to] = [code(textAt(pull, "head", "ref")), code(textAt(pull, "base", "ref"))]
    const branches = from !== "" && to !== "" ? `from ${from} to ${to}` : ""
    const said = words(who(payload), "opened", isTrue(pull, "draft") ? "draft" : "", thing, branches)
    const body = described(choices, textAt(pull, "body"))
    return messageOrIgnored("pull_request", topicAbout(payload, "PR", pull), `${said}.${body}`)
  }
  if (action === "review_requested") {
    const asked = either(textAt(payload, "requested_reviewer", "login"), textAt(payload, "requested_team", "name"))
    return tell("asked", bold(asked), "to review", thing)
  }
  if (action === "closed" && isTrue(pull, "merged")) return tell("merged", thing)
  if (action === "locked") return tell("locked", thing, lockOf(pull))
  if (action === "dequeued") {
    const reason = textAt(payload, "reason").replaceAll("_", " ").toLowerCase()
    return tell("removed", thing, "from the merge queue", reason === "" ? "" : `(${plain(reason)})`)
  }
  const verb = entryFor(tellsOfPulls, action)
  const both = verb === undefined ? done(payload, action, thing) : words(verb, thing)
  return both === undefined ? { ignoredEvent: "pull_request" } : tell(both)
}

/** `elsinore/castle#5` */
const elsewhere = (repository: unknown, issue: unknown): string =>
  link(`${textAt(repository, "full_name")}#${textAt(issue, "number")}`, textAt(issue, "html_url"))

export const issues = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const [issue, action, changes] = [at(payload, "issue"), textAt(payload, "action"), at(payload, "changes")]
  const thing = linkTo(issue, "issue")
  const topic = topicAbout(payload, "issue", issue)
  if (action === "opened") {
    const before = at(changes, "old_issue")
    // An issue that comes from another repository is opened there by nobody.
    const from = textAt(before, "number") === "" ? "" : elsewhere(at(changes, "old_repository"), before)
    const said =
      from === "" ? words(who(payload), "opened", thing) : words(who(payload), "transferred", thing, "from", from)
    return messageOrIgnored("issues", topic, `${said}.${described(choices, textAt(issue, "body"))}`)
  }
  if (action === "transferred") {
    const to = at(changes, "new_issue")
    const place = textAt(to, "number") === "" ? "" : `to ${elsewhere(at(changes, "new_repository"), to)}`
    return messageOrIgnored("issues", topic, `${words(who(payload), "transferred", thing, place)}.`)
  }
  const reason = textAt(issue, "state_reason")
  const why = action === "closed" && reason !== "" && reason !== "completed" ? `as ${reason.replaceAll("_", " ")}` : ""
  const did = action === "locked" ? words("locked", thing, lockOf(issue)) : done(payload, action, thing)
  return did === undefined
    ? { ignoredEvent: "issues" }
    : messageOrIgnored("issues", topic, `${words(who(payload), did, plain(why))}.`)
}
