/** GitLab: the events of projects, by their header or by what the payload says of itself. */

import { commitLine, commitsIn, refName } from "../github/push.ts"
import { bold, bullets, code, link, plain, quoteText, topicOf, words } from "../markup.ts"
import { at, either, entryFor, isTrue, listAt, textAt } from "../payload.ts"
import { described, quote, saying, withTheirEmoji } from "../quote.ts"
import type { WebhookChoices, WebhookFormat, WebhookResult } from "../webhook-result.ts"
import { messageOrIgnored, usualChoices } from "../webhook-result.ts"
import { job, pipeline } from "./builds.ts"

export const projectOf = (payload: unknown): string =>
  either(textAt(payload, "project", "name"), textAt(payload, "repository", "name"), textAt(payload, "project_name"))

const who = (payload: unknown): string =>
  bold(
    either(
      textAt(payload, "user", "name"),
      textAt(payload, "user_name"),
      textAt(payload, "user", "username"),
      "someone",
    ),
  )

const isNone = (hash: string): boolean => /^0+$/.test(hash)

/** What of pushes: to a branch, or of a tag. */
const push =
  (event: "push" | "tag_push", kind: "branch" | "tag") =>
  (payload: unknown): WebhookResult => {
    const name = refName(textAt(payload, "ref"))
    const topic = topicOf(projectOf(payload), kind === "branch" ? name : "")
    if (isNone(textAt(payload, "after")))
      return messageOrIgnored(event, topic, `${words(who(payload), "deleted", kind, code(name))}.`)
    const isNew = isNone(textAt(payload, "before"))
    const commits = listAt(payload, "commits")
    if (kind === "tag" || commits.length === 0) {
      const done = isNew ? "created" : "updated"
      const said = quoteText(kind === "tag" ? textAt(payload, "message") : "")
      return messageOrIgnored(event, topic, `${words(who(payload), done, kind, code(name))}.${said}`)
    }
    const total = Math.max(Number(textAt(payload, "total_commits_count")) || 0, commits.length)
    const to = isNew ? "new branch" : "branch"
    const [before, after] = [textAt(payload, "before"), textAt(payload, "after")]
    const compare = isNew ? "" : `${textAt(payload, "project", "web_url")}/-/compare/${before}...${after}`
    const said = words(who(payload), link("pushed", compare), commitsIn(total), "to", to, code(name))
    return messageOrIgnored(event, topic, `${said}.\n\n${bullets(commits, commitLine, total)}`)
  }

/** `!5 title` and `#5 title`, as GitLab writes them. */
const topicAbout = (payload: unknown, mark: string, thing: unknown): string =>
  topicOf(
    projectOf(payload),
    words(textAt(thing, "iid") === "" ? "" : `${mark}${textAt(thing, "iid")}`, textAt(thing, "title")),
  )

const linkTo = (mark: string, thing: unknown): string =>
  link(
    words(textAt(thing, "iid") === "" ? "" : `${mark}${textAt(thing, "iid")}`, withTheirEmoji(textAt(thing, "title"))),
    textAt(thing, "url"),
  )

const tells: Readonly<Record<string, string>> = {
  open: "opened",
  close: "closed",
  reopen: "reopened",
  merge: "merged",
  approved: "approved",
  unapproved: "took back the approval of",
}

const mergeRequest = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const merge = at(payload, "object_attributes")
  const action = textAt(merge, "action")
  // An update with a former revision has new commits; others are of labels and texts.
  const done = action === "update" && textAt(merge, "oldrev") !== "" ? "pushed to" : entryFor(tells, action)
  if (done === undefined) return { ignoredEvent: `merge_request.${action}` }
  const [from, to] = [code(textAt(merge, "source_branch")), code(textAt(merge, "target_branch"))]
  const branches = action === "open" && from !== "" && to !== "" ? `from ${from} to ${to}` : ""
  const body = action === "open" ? described(choices, textAt(merge, "description")) : ""
  const said = words(who(payload), done, isTrue(merge, "draft") ? "draft" : "", "MR", linkTo("!", merge), branches)
  return messageOrIgnored("merge_request", topicAbout(payload, "!", merge), `${said}.${body}`)
}

const issue = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const about = at(payload, "object_attributes")
  const action = textAt(about, "action")
  const done = ["open", "close", "reopen"].includes(action) ? tells[action] : undefined
  if (done === undefined) return { ignoredEvent: `issue.${action}` }
  const kind = isTrue(about, "confidential") ? "confidential issue" : "issue"
  const body = action === "open" ? described(choices, textAt(about, "description")) : ""
  return messageOrIgnored(
    "issue",
    topicAbout(payload, "#", about),
    `${words(who(payload), done, kind, linkTo("#", about))}.${body}`,
  )
}

const note = (payload: unknown): WebhookResult => {
  const given = at(payload, "object_attributes")
  // Later changes of a comment come as events, too.
  if (textAt(given, "action") === "update") return { ignoredEvent: "note.update" }
  const place = ((): readonly [topic: string, name: string] => {
    const [merge, about, commit, snippet] = ["merge_request", "issue", "commit", "snippet"].map((key) =>
      at(payload, key),
    )
    if (merge !== undefined && merge !== null) return [topicAbout(payload, "!", merge), words("MR", linkTo("!", merge))]
    if (about !== undefined && about !== null)
      return [topicAbout(payload, "#", about), words("issue", linkTo("#", about))]
    if (commit !== undefined && commit !== null)
      return [topicOf(projectOf(payload)), words("commit", commitLine(commit))]
    const name = plain(textAt(snippet, "title"))
    return [topicOf(projectOf(payload)), snippet === undefined ? "something" : words("snippet", name)]
  })()
  const [topic, name] = place
  const said = words(who(payload), link("commented", textAt(given, "url")), "on", name)
  return messageOrIgnored("note", topic, saying(said, quote(textAt(given, "note"))))
}

const wiki = (payload: unknown): WebhookResult => {
  const page = at(payload, "object_attributes")
  const done = entryFor({ create: "created", update: "updated", delete: "deleted" }, textAt(page, "action"))
  if (done === undefined) return { ignoredEvent: "wiki_page" }
  const said = words(who(payload), done, "wiki page", link(textAt(page, "title"), textAt(page, "url")))
  return messageOrIgnored(
    "wiki_page",
    topicOf(projectOf(payload), "wiki"),
    `${said}.${quoteText(textAt(page, "message"))}`,
  )
}

const release = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const outcomes = { create: "was created", update: "was updated", delete: "was deleted" }
  const done = entryFor(outcomes, textAt(payload, "action"))
  if (done === undefined) return { ignoredEvent: "release" }
  const name = link(either(textAt(payload, "name"), textAt(payload, "tag")), textAt(payload, "url"))
  const said = words("Release", name, "with tag", code(textAt(payload, "tag")), done)
  const body = done === "was created" ? described(choices, textAt(payload, "description")) : ""
  return messageOrIgnored("release", topicOf(projectOf(payload), "releases"), `${said}.${body}`)
}

const formats: ReadonlyMap<string, (payload: unknown, choices: WebhookChoices) => WebhookResult> = new Map([
  ["push", push("push", "branch")],
  ["tag_push", push("tag_push", "tag")],
  ["merge_request", mergeRequest],
  ["issue", issue],
  ["confidential_issue", issue],
  ["work_item", issue],
  ["note", note],
  ["confidential_note", note],
  ["pipeline", pipeline],
  ["job", job],
  ["build", job],
  ["wiki_page", wiki],
  ["release", release],
])

/** `Merge Request Hook` is `merge_request`. System hooks say what they are in the payload alone. */
const eventOf = (payload: unknown, header: string): string => {
  const named = header
    .toLowerCase()
    .replace(/ hook$/, "")
    .replaceAll(" ", "_")
  return named === "" || named === "system"
    ? either(textAt(payload, "object_kind"), textAt(payload, "event_name"))
    : named
}

export const gitlab: WebhookFormat = (payload, header, choices = usualChoices) => {
  const event = eventOf(payload, header)
  if (event === "") return { refused: "The X-Gitlab-Event header is missing: this does not come from GitLab" }
  return formats.get(event)?.(payload, choices) ?? { ignoredEvent: event }
}
