/**
 * Widgets: messages in which people do something together. A content that begins with `/poll` or `/todo` makes one, and
 * so does the parameter `widget_content`, with buttons that answer for whoever presses them. What a widget begins with
 * is the message's first submessage.
 */
import { either, list, object, optional, type Shape, strictObject, string, turned, word } from "../../../api/shapes.ts"
import { type JsonObject, presentFields } from "../../../json.ts"

export interface Widget {
  readonly widget_type: "poll" | "todo" | "zform"
  readonly extra_data: JsonObject
}

/** The type of submessages that widgets use; there is no other. */
export const widgetMessageType = "widget"

const mostChoices = 100
/** Characters of the parameter `widget_content`. */
export const longestWidget = 20_000

/** A line of a list, without the mark before it; blank lines are no items. */
const itemsOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line.trim().replace(/^[-*]?\s*/, "")).filter((item) => item !== "")

/** A task and what there is to say about it stand on both sides of the first colon with a space behind it. */
const taskOf = (item: string): JsonObject => {
  const at = item.indexOf(": ")
  return at < 0 ? { task: item, desc: "" } : { task: item.slice(0, at).trim(), desc: item.slice(at + 2).trim() }
}

const command = /^\/(poll|todo)(?=\s|$)/

const readWidget = (content: string): Widget | undefined => {
  const [begin, name] = command.exec(content) ?? []
  if (begin === undefined) return undefined
  const [title = "", ...lines] = content.slice(begin.length).split(/\r?\n/)
  const items = itemsOf(lines)
  return name === "poll"
    ? { widget_type: "poll", extra_data: { question: title.trim(), options: items } }
    : { widget_type: "todo", extra_data: { task_list_title: title.trim(), tasks: items.map(taskOf) } }
}

/** The widget that a message's content makes, if it makes one, as the content of its first submessage. */
export const findWidget = (content: string): string | undefined => {
  const widget = readWidget(content)
  return widget && JSON.stringify(widget)
}

const choiceShape = object({ short_name: string, long_name: string, reply: string, type: optional(string) })
const formShape = object({
  widget_type: word("zform"),
  extra_data: strictObject({ type: word("choices"), heading: string, choices: list(choiceShape, mostChoices) }),
})

/** The parameter `widget_content`: buttons, each with a text that is sent for whoever presses it. */
export const widgetContentShape: Shape<Widget> = turned(
  formShape,
  ({ extra_data: { type, heading, choices } }): Widget => ({
    widget_type: "zform",
    extra_data: { type, heading, choices: choices.map(presentFields) },
  }),
)

const pollShape = object({
  widget_type: word("poll"),
  extra_data: object({ question: string, options: optional(list(string, mostChoices)) }),
})
const taskShape = object({ task: string, desc: optional(string) })
const todoShape = object({
  widget_type: word("todo"),
  extra_data: object({ task_list_title: optional(string), tasks: optional(list(taskShape, mostChoices)) }),
})

/** Any widget as its first submessage has it: programs that answer for a bot may make each. */
export const anyWidgetShape: Shape<Widget> = either(
  widgetContentShape,
  either(
    turned(
      pollShape,
      ({ extra_data: { question, options = [] } }): Widget => ({
        widget_type: "poll",
        extra_data: { question, options },
      }),
    ),
    turned(
      todoShape,
      ({ extra_data: { task_list_title = "", tasks = [] } }): Widget => ({
        widget_type: "todo",
        extra_data: { task_list_title, tasks: tasks.map(({ task, desc = "" }) => ({ task, desc })) },
      }),
    ),
    "",
  ),
  "is no poll, no to-do list and no choices",
)
