/**
 * Slack's blocks as lines of Markdown. Of a kind that is not known here its texts are shown, so a message never lacks what a
 * newer Slack would say.
 */
import * as Predicate from "effect/Predicate"
import { bold, gather, link, plain, words } from "../markup.ts"
import { at, either, entryFor, listAt, textAt } from "../payload.ts"
import { elements, imageText, nameOf, textOf } from "./elements.ts"
import { markdownBlock } from "./markdown.ts"
import { chart, table } from "./tables.ts"
import { textsWithin } from "./unknown-blocks.ts"

type ShowBlock = (block: unknown) => string

const lines = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part.trim() !== "").join("\n")
const each = (list: ReadonlyArray<unknown>, between: string): string => gather(list, partText).join(between)
const title = (value: unknown): string => bold(nameOf(value))

const header: ShowBlock = (block) => {
  const text = plain(nameOf(at(block, "text")))
  return text === "" ? "" : `## ${text}`
}

const section: ShowBlock = (block) =>
  lines(textOf(at(block, "text")), each(listAt(block, "fields"), "\n"), partText(at(block, "accessory")))

const input: ShowBlock = (block) =>
  lines(title(at(block, "label")), partText(at(block, "element")), textOf(at(block, "hint")))

const video: ShowBlock = (block) => {
  const name = either(nameOf(at(block, "title")), nameOf(at(block, "alt_text")), "video")
  const by = gather(["author_name", "provider_name"], (key) => plain(nameOf(at(block, key)))).join(", ")
  const shown = link(name, either(textAt(block, "title_url"), textAt(block, "video_url")))
  return lines(words(shown, by === "" ? "" : `(${by})`), textOf(at(block, "description")))
}

const levels = { info: ":information:", warning: ":warning:", error: ":cross_mark:", success: ":check:" }
const alert: ShowBlock = (block) => words(entryFor(levels, textAt(block, "level")) ?? "", textOf(at(block, "text")))

const card: ShowBlock = (block) =>
  lines(
    partText(at(block, "hero_image")),
    textOf(at(block, "title")),
    ...["subtitle", "body", "subtext"].map((key) => textOf(at(block, key))),
    each(listAt(block, "actions"), ", "),
  )

const container: ShowBlock = (block) =>
  lines(
    either(textOf(at(block, "rich_text_title")), title(at(block, "title"))),
    textOf(at(block, "subtitle")),
    each(listAt(block, "child_blocks"), "\n"),
  )

const task: ShowBlock = (block) => {
  const status = textAt(block, "status").replaceAll("_", " ")
  return lines(
    words(title(at(block, "title")), status === "" ? "" : `(${plain(status)})`),
    ...["details", "output"].map((key) => textOf(at(block, key))),
    each(listAt(block, "sources"), ", "),
  )
}

const plan: ShowBlock = (block) => lines(title(at(block, "title")), gather(listAt(block, "tasks"), task).join("\n\n"))
const file: ShowBlock = (block) => words("file", plain(textAt(block, "external_id")))

const blocks: ReadonlyMap<string, ShowBlock> = new Map([
  ["header", header],
  ["section", section],
  ["context", (block: unknown) => each(listAt(block, "elements"), " ")],
  ["context_actions", (block: unknown) => each(listAt(block, "elements"), ", ")],
  ["actions", (block: unknown) => each(listAt(block, "elements"), ", ")],
  ["divider", () => "----"],
  ["image", imageText],
  ["input", input],
  ["file", file],
  ["video", video],
  ["markdown", markdownBlock],
  ["table", table],
  ["data_table", table],
  ["data_visualization", chart],
  ["alert", alert],
  ["card", card],
  ["carousel", (block: unknown) => each(listAt(block, "elements"), "\n\n")],
  ["container", container],
  ["task_card", task],
  ["plan", plan],
])

/** A block or an element, a list of them, a text. */
export const partText = (part: unknown): string => {
  if (Predicate.isString(part)) return textOf(part)
  if (Array.isArray(part)) return each(part, "\n")
  if (!Predicate.isObject(part)) return ""
  const type = textAt(part, "type")
  const show = blocks.get(type) ?? elements.get(type)
  if (show !== undefined) return show(part)
  if (type.startsWith("rich_text")) return textOf(part)
  return textsWithin(part, partText, textOf)
}
