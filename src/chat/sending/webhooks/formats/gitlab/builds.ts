/** GitLab's pipelines and jobs. Only ends are told: each has an event for every step. */

import { bullets, code, link, plain, topicOf, words } from "../markup.ts"
import { at, either, entryFor, listAt, textAt } from "../payload.ts"
import { messageOrIgnored, type WebhookResult } from "../webhook-result.ts"

const outcomes: Readonly<Record<string, string>> = {
  success: ":check: succeeded",
  failed: ":cross_mark: failed",
  canceled: "was cancelled",
}

const project = (payload: unknown): string =>
  either(textAt(payload, "project", "name"), textAt(payload, "repository", "name"), textAt(payload, "project_name"))

const duration = (seconds: string): string => {
  const whole = Math.round(Number(seconds))
  if (!(whole > 0 && whole < 1e8)) return ""
  return whole < 60 ? `after ${whole} s` : `after ${Math.floor(whole / 60)} min ${whole % 60} s`
}

export const pipeline = (payload: unknown): WebhookResult => {
  const run = at(payload, "object_attributes")
  const outcome = entryFor(outcomes, textAt(run, "status"))
  if (outcome === undefined) return { ignoredEvent: `pipeline.${textAt(run, "status")}` }
  const [id, ref] = [textAt(run, "id"), textAt(run, "ref")]
  const page = `${textAt(payload, "project", "web_url")}/-/pipelines/${id}`
  const name = link(words("Pipeline", id === "" ? "" : `#${id}`), either(textAt(run, "url"), page))
  const failed = listAt(payload, "builds").filter((build) => textAt(build, "status") === "failed")
  const line = (build: unknown) => words(plain(textAt(build, "stage")), code(textAt(build, "name")), "failed")
  const list =
    failed.length === 0
      ? ""
      : `

${bullets(failed, line)}`
  const said = words(name, outcome, "on", code(ref), duration(textAt(run, "duration")))
  return messageOrIgnored("pipeline", topicOf(project(payload), ref), `${said}.${list}`)
}

export const job = (payload: unknown): WebhookResult => {
  const status = textAt(payload, "build_status")
  const outcome = entryFor(outcomes, status)
  if (outcome === undefined) return { ignoredEvent: `job.${status}` }
  const home = either(textAt(payload, "project", "web_url"), textAt(payload, "repository", "homepage"))
  const page = `${home}/-/jobs/${textAt(payload, "build_id")}`
  const stage = textAt(payload, "build_stage")
  const name = words(
    "Job",
    link(either(textAt(payload, "build_name"), "job"), page),
    stage === "" ? "" : `of ${plain(stage)}`,
  )
  const reason = textAt(payload, "build_failure_reason").replaceAll("_", " ")
  const why = status === "failed" && reason !== "" && reason !== "unknown failure" ? `: ${plain(reason)}` : ""
  const took = duration(textAt(payload, "build_duration"))
  const said = words(name, outcome, "on", code(textAt(payload, "ref")), took)
  return messageOrIgnored("job", topicOf(project(payload), textAt(payload, "ref")), `${said}${why}.`)
}
