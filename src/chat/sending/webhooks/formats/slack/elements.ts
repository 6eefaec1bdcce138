/**
 * What stands within Slack's blocks: texts, images, buttons, choices. What only works in Slack (a button without an address, a
 * choice) is shown by its words, because the text around it speaks of it.
 */
import * as Predicate from "effect/Predicate"
import { code, gather, link, linkOf, plain, words } from "../markup.ts"
import { at, either, listAt, textAt } from "../payload.ts"
import { withEmoji } from "./emoji.ts"
import { richText } from "./rich-text.ts"
import { decoded, plainText, slackText, timeOf } from "./text.ts"

/** A text, or an object that has one. Only Slack's markup has marks, only in rich text nothing is escaped. */
export const textOf = (value: unknown): string => {
  if (Predicate.isString(value) || Predicate.isNumber(value)) return slackText(String(value))
  const [type, text] = [textAt(value, "type"), textAt(value, "text")]
  if (type.startsWith("rich_text")) return richText(value)
  return type === "plain_text" || type.startsWith("raw_")
    ? plainText(either(text, textAt(value, "value")))
    : slackText(text)
}

/** The words of an object or a text as they are, for what has no markup of its own. */
export const nameOf = (value: unknown): string =>
  withEmoji(decoded(Predicate.isObject(value) ? textAt(value, "text") : textAt({ value }, "value")))

/** An image by its words: what it shows is fetched by nobody. */
export const imageText = (image: unknown): string =>
  link(
    either(nameOf(at(image, "title")), nameOf(at(image, "alt_text")), "image"),
    either(textAt(image, "image_url"), textAt(image, "slack_file", "url")),
  )

/** Those of attachments have a text, those of blocks an object with one. */
const button = (given: unknown): string => {
  const name = either(...["text", "accessibility_label", "name"].map((key) => nameOf(at(given, key))))
  const url = either(textAt(given, "url"), textAt(given, "workflow", "trigger", "url"))
  return url === "" ? code(name) : link(either(name, "link"), url)
}

const option = (given: unknown): string => {
  const text = linkOf(textOf(at(given, "text")), textAt(given, "url"))
  const description = textOf(at(given, "description"))
  return description === "" ? text : `${text} (${description})`
}

const starts = ["date", "time", "date_time", "option", "value", "user", "channel", "conversation"]

/** What is chosen or written at the beginning. */
const begun = (given: unknown): string => {
  const name = starts.find((name) => at(given, `initial_${name}`) !== undefined)
  const value = at(given, `initial_${name ?? ""}`)
  if (name === "date_time") return timeOf(textAt({ value }, "value"))
  return textOf(Predicate.isObject(at(value, "text")) ? at(value, "text") : value)
}

/** A choice or a field: what it asks for, what may be chosen, and with what it begins. */
const choice = (given: unknown): string => {
  const groups = listAt(given, "option_groups").flatMap((group) => listAt(group, "options"))
  const options = gather([...listAt(given, "options"), ...groups], option).join(", ")
  const [asked, first] = [plain(either(nameOf(at(given, "placeholder")), nameOf(at(given, "text")))), begun(given)]
  return words(asked === "" || options === "" ? asked : `${asked}:`, options, first === "" ? "" : `(${first})`)
}

const choices =
  "checkboxes radio_buttons overflow static_select external_select users_select conversations_select channels_select " +
  "multi_static_select multi_external_select multi_users_select multi_conversations_select multi_channels_select datepicker " +
  "datetimepicker timepicker plain_text_input email_text_input url_text_input number_input file_input rich_text_input select"

/** By the names of their types. */
export const elements: ReadonlyMap<string, (element: unknown) => string> = new Map([
  ...["mrkdwn", "plain_text", "raw_text", "raw_number", "rich_text"].map((type) => [type, textOf] as const),
  ...choices.split(" ").map((type) => [type, choice] as const),
  ...["button", "workflow_button", "icon_button"].map((type) => [type, button] as const),
  ["image", imageText],
  ["url", (source: unknown) => link(either(textAt(source, "text"), textAt(source, "url")), textAt(source, "url"))],
  [
    "feedback_buttons",
    (both: unknown) => gather([at(both, "positive_button"), at(both, "negative_button")], button).join(", "),
  ],
])
