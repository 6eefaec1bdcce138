/** What people say at GitHub: comments, reviews, discussions. */

import { code, link, plain, topicOf, words } from "../markup.ts"
import { at, either, entryFor, textAt } from "../payload.ts"
import { described, quote, saying } from "../quote.ts"
import { messageOrIgnored, type WebhookChoices, type WebhookResult } from "../webhook-result.ts"
import { linkTo, repository, topicAbout, who } from "./names.ts"
import { shortHash } from "./push.ts"

/** That somebody has commented, and what. Edits and deletions are not told. */
const commented = (event: string, payload: unknown, topic: string, ...on: ReadonlyArray<string>): WebhookResult => {
  const [comment, action] = [at(payload, "comment"), textAt(payload, "action")]
  if (action !== "created" && event !== "commit_comment") return { ignoredEvent: event }
  const sentence = words(who(payload), link("commented", textAt(comment, "html_url")), "on", ...on)
  return messageOrIgnored(event, topic, saying(sentence, quote(textAt(comment, "body"))))
}

export const issueComment = (payload: unknown): WebhookResult => {
  const issue = at(payload, "issue")
  const kind = at(issue, "pull_request") === undefined ? "issue" : "PR"
  return commented("issue_comment", payload, topicAbout(payload, kind, issue), linkTo(issue, kind))
}

export const reviewComment = (payload: unknown): WebhookResult => {
  const pull = at(payload, "pull_request")
  const path = code(textAt(payload, "comment", "path"))
  const topic = topicAbout(payload, "PR", pull)
  return commented("pull_request_review_comment", payload, topic, path, "in", linkTo(pull, "PR"))
}

export const commitComment = (payload: unknown): WebhookResult => {
  const commit = code(shortHash(textAt(payload, "comment", "commit_id")))
  return commented("commit_comment", payload, topicOf(repository(payload)), "commit", commit)
}

export const discussionComment = (payload: unknown): WebhookResult => {
  const about = at(payload, "discussion")
  const topic = topicAbout(payload, "discussion", about)
  return commented("discussion_comment", payload, topic, linkTo(about, "discussion"))
}

const verdicts: Readonly<Record<string, string>> = {
  approved: "approved",
  changes_requested: "requested changes to",
  commented: "reviewed",
}

export const review = (payload: unknown): WebhookResult => {
  const [pull, given, action] = [at(payload, "pull_request"), at(payload, "review"), textAt(payload, "action")]
  const dismissed = action === "dismissed" ? "dismissed a review of" : undefined
  const done = action === "submitted" ? entryFor(verdicts, textAt(given, "state").toLowerCase()) : dismissed
  const body = quote(textAt(given, "body"))
  // Comments on lines come as events of their own, each with an empty review beside it.
  if (done === undefined || (done === "reviewed" && body === "")) return { ignoredEvent: "pull_request_review" }
  const sentence = words(who(payload), link(done, textAt(given, "html_url")), linkTo(pull, "PR"))
  return messageOrIgnored("pull_request_review", topicAbout(payload, "PR", pull), saying(sentence, body))
}

const tells: Readonly<Record<string, string>> = {
  closed: "closed",
  reopened: "reopened",
  deleted: "deleted",
  locked: "locked",
  unlocked: "unlocked",
  pinned: "pinned",
  unpinned: "unpinned",
}

export const discussion = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const [about, action] = [at(payload, "discussion"), textAt(payload, "action")]
  const thing = linkTo(about, "discussion")
  const category = plain(textAt(about, "category", "name"))
  const to = at(payload, "changes", "new_discussion")
  const tell = (sentence: string, end = ".") =>
    messageOrIgnored("discussion", topicAbout(payload, "discussion", about), `${words(who(payload), sentence)}${end}`)
  switch (action) {
    case "created":
      return tell(
        words("created", thing, category === "" ? "" : `in ${category}`),
        `.${described(choices, textAt(about, "body"))}`,
      )
    case "answered": {
      const answer = at(payload, "answer")
      const url = either(textAt(answer, "html_url"), textAt(about, "answer_html_url"))
      return tell(words("chose", link("an answer", url), "to", thing), saying("", quote(textAt(answer, "body"))))
    }
    case "unanswered":
      return tell(words("took back the answer to", thing))
    case "category_changed":
      return tell(words("moved", thing, category === "" ? "" : `to ${category}`))
    case "transferred":
      return tell(
        words("transferred", thing, "to", linkTo(to, textAt(payload, "changes", "new_repository", "full_name"))),
      )
    default: {
      const done = entryFor(tells, action)
      return done === undefined ? { ignoredEvent: "discussion" } : tell(words(done, thing))
    }
  }
}
