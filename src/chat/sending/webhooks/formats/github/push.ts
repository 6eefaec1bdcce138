/** Pushes to GitHub: the commits of a branch, a tag. */

import { bold, bullets, code, link, oneLine, topicOf, words } from "../markup.ts"
import { at, either, isTrue, listAt, textAt } from "../payload.ts"
import { withTheirEmoji } from "../quote.ts"
import { messageOrIgnored, type WebhookResult } from "../webhook-result.ts"

/** Without `refs/heads/` or `refs/tags/`. */
export const refName = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, "")

/** A hash as people write it. */
export const shortHash = (hash: string): string => hash.slice(0, 11).toWellFormed()

/** The first line of a commit's message, with a link to it. */
export const commitLine = (commit: unknown): string => {
  const [title = ""] = textAt(commit, "message").split("\n", 1)
  return link(either(withTheirEmoji(oneLine(title)), shortHash(textAt(commit, "id"))), textAt(commit, "url"))
}

export const commitsIn = (count: number): string => (count === 1 ? "1 commit" : `${count} commits`)

/** Of branches that only the queue of merges uses: each is told where it is merged. */
const ofQueue = "refs/heads/gh-readonly-queue/"

export const push = (payload: unknown): WebhookResult => {
  const ref = textAt(payload, "ref")
  if (ref.startsWith(ofQueue)) return { ignoredEvent: "push" }
  const name = refName(ref)
  const kind = ref.startsWith("refs/tags/") ? "tag" : "branch"
  const who = bold(either(textAt(payload, "sender", "login"), textAt(payload, "pusher", "name"), "someone"))
  const topic = topicOf(textAt(payload, "repository", "name"), kind === "branch" ? name : "")
  if (isTrue(payload, "deleted")) return messageOrIgnored("push", topic, `${words(who, "deleted", kind, code(name))}.`)
  const compare = either(textAt(payload, "compare"), textAt(payload, "compare_url"))
  if (kind === "tag")
    return messageOrIgnored("push", topic, `${words(who, link("pushed", compare), "tag", code(name))}.`)
  const commits = listAt(payload, "commits")
  if (commits.length === 0) {
    const head = at(payload, "head_commit")
    const done = isTrue(payload, "created") ? "created" : isTrue(payload, "forced") ? "force-pushed to" : "updated"
    const to = textAt(head, "id") === "" ? "" : `at ${code(shortHash(textAt(head, "id")))}`
    return messageOrIgnored("push", topic, `${words(who, link(done, compare), "branch", code(name), to)}.`)
  }
  const done = isTrue(payload, "forced") ? "force-pushed" : "pushed"
  const created = isTrue(payload, "created") ? "new branch" : "branch"
  const count = commitsIn(commits.length)
  const said = words(who, link(done, compare), count, "to", created, code(name))
  return messageOrIgnored("push", topic, `${said}.\n\n${bullets(commits, commitLine)}`)
}
