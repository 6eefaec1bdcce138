/** What the answer of a program behind an outgoing webhook has its bot send, in both forms that there are. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { parseForeignJson } from "../../../json.ts"
import type { BotService } from "../../ground/bot-settings/bot-settings.ts"
import { anyWidgetShape, longestWidget, type Widget } from "../../sending/messages/widgets.ts"
import { slack } from "../../sending/webhooks/formats/slack/slack.ts"
import { readPayload } from "../../sending/webhooks/read-payload.ts"
import { slackForm } from "./call-form.ts"

export interface ToSay {
  readonly content: string
  readonly widget: Widget | undefined
}

/** null: nothing is to be sent, and nobody is told of that. The failure is a reason for the bot's owner. */
type Read = Result.Result<ToSay | null, string>

const nothing: Read = Result.succeed(null)

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Predicate.isString(value) && value.trim() === "")

/** As in requests it may be JSON in a text. */
const readWidget = (given: unknown): Result.Result<Widget | undefined, string> => {
  if (isNothing(given)) return Result.succeed(undefined)
  const text = Predicate.isString(given) ? given : JSON.stringify(given)
  if (text.length > longestWidget) return Result.fail(`widget_content in the answer is too long`)
  return Result.mapError(
    anyWidgetShape(Predicate.isString(given) ? parseForeignJson(given) : given, "widget_content"),
    (fault) => `the answer's ${fault}`,
  )
}

const readOwn = (fields: Readonly<Record<string, unknown>>): Read => {
  const content = [fields["response_string"], fields["content"]].find((value) => !isNothing(value))
  const widget = readWidget(fields["widget_content"])
  if (Result.isFailure(widget)) return Result.fail(widget.failure)
  if (content === undefined)
    return widget.success === undefined ? nothing : Result.fail("the answer has a widget_content, but no content")
  return Predicate.isString(content) && content.isWellFormed() && !content.includes("\u0000")
    ? Result.succeed({ content, widget: widget.success })
    : Result.fail("the content in the answer was no text")
}

/** As what programs write to Slack's incoming webhooks. */
const readSlack = (text: string): Read => {
  const payload = readPayload({ text, fields: null, event: "", delivery: "" })
  if (Result.isFailure(payload)) return Result.fail("the answer was no JSON object")
  const heard = slack(payload.success, "")
  return "content" in heard ? Result.succeed({ content: heard.content, widget: undefined }) : nothing
}

export const readAnswer = (form: BotService["interface"], bytes: Uint8Array): Read => {
  const text = new TextDecoder().decode(bytes).trim()
  // As an answer without a body, of the status 204.
  if (text === "") return nothing
  const answer = parseForeignJson(text)
  if (answer !== undefined && isNothing(answer)) return nothing
  if (!Predicate.isObject(answer)) return Result.fail("the answer was no JSON object")
  const fields: Readonly<Record<string, unknown>> = { ...answer }
  if (fields["response_not_required"] === true) return nothing
  return form === slackForm ? readSlack(text) : readOwn(fields)
}
