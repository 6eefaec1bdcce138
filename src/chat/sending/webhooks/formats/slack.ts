/**
 * Slack's incoming webhooks, which many programs can send: a text, attachments, blocks. What Slack would show as a mention
 * is shown by its name, and mentions nobody.
 */
import type { Format } from "./heard.ts"
import { say } from "./heard.ts"
import { block, bold, code, gather, link, plain, plainLines, topicOf } from "./markup.ts"
import { at, either, isTrue, listAt, textAt } from "./payload.ts"
import { slackText } from "./slack-text.ts"

/** A text, or an object that has one. */
const textOf = (value: unknown, key: string): string => {
  const object = at(value, key)
  if (typeof object === "string") return slackText(textAt(value, key))
  return slackText(textAt(object, "text"))
}

const fieldLine = (field: unknown): string => {
  const [title, value] = [textAt(field, "title"), textOf(field, "value")]
  return title === "" ? value : `${bold(title)}: ${value}`
}

const attachmentText = (attachment: unknown): string => {
  const title = textAt(attachment, "title")
  const image = either(textAt(attachment, "image_url"), textAt(attachment, "thumb_url"))
  const lines = gather(
    [
      () => textOf(attachment, "pretext"),
      () => (title === "" ? "" : link(title, textAt(attachment, "title_link"))),
      () => textOf(attachment, "text"),
      () => gather(listAt(attachment, "fields"), fieldLine).join("\n"),
      () => gather(listAt(attachment, "blocks"), blockText).join("\n"),
      () => (image === "" ? "" : link("image", image)),
      () => textOf(attachment, "footer"),
    ],
    (line) => line(),
  )
  return lines.length === 0 ? textOf(attachment, "fallback") : lines.join("\n")
}

/** Spaces around a part of a line belong to it. */
const rawText = (element: unknown): string => {
  const text = at(element, "text")
  return typeof text === "string" ? text.slice(0, 5000).toWellFormed() : ""
}

const styled = (element: unknown, text: string): string => {
  const has = (style: string) => isTrue(element, "style", style)
  if (has("code")) return code(text)
  const [, before = "", inner = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? []
  if (inner === "" || inner.includes("\n")) return plainLines(text)
  const marks = `${has("bold") ? "**" : ""}${has("italic") ? "*" : ""}${has("strike") ? "~~" : ""}`
  return `${before}${marks}${plainLines(inner)}${[...marks].reverse().join("")}${after}`
}

/** The texts within a rich text, however deep they stand. */
const richText = (element: unknown, depth = 0): string => {
  if (depth > 5) return ""
  const type = textAt(element, "type")
  if (type === "text") return styled(element, rawText(element))
  if (type === "link") return link(either(textAt(element, "text"), textAt(element, "url")), textAt(element, "url"))
  if (type === "emoji") return `:${textAt(element, "name").replace(/[^\w+-]/g, "")}:`
  if (type === "user" || type === "usergroup") return plain(`@${textAt(element, `${type}_id`)}`)
  if (type === "broadcast") return plain(`@${textAt(element, "range")}`)
  if (type === "rich_text_preformatted") return block(listAt(element, "elements").slice(0, 100).map(rawText).join(""))
  const inner = gather(listAt(element, "elements"), (each) => richText(each, depth + 1))
  return type === "rich_text_list" ? inner.map((line) => `* ${line}`).join("\n") : inner.join("")
}

const sectionText = (section: unknown): string =>
  gather(
    [
      () => textOf(section, "text"),
      () => gather(listAt(section, "fields"), (field) => textOf({ field }, "field")).join("\n"),
      () => linkedButton(at(section, "accessory")),
    ],
    (line) => line(),
  ).join("\n")

const contextText = (element: unknown): string =>
  slackText(either(textAt(element, "text"), textAt(element, "alt_text")))

const blockText = (given: unknown): string => {
  const elements = listAt(given, "elements")
  switch (textAt(given, "type")) {
    case "header": {
      const header = plain(textAt(given, "text", "text"))
      return header === "" ? "" : `## ${header}`
    }
    case "section":
      return sectionText(given)
    case "context":
      return gather(elements, contextText).join(" ")
    case "image":
      return link(
        either(textAt(given, "title", "text"), textAt(given, "alt_text"), "image"),
        textAt(given, "image_url"),
      )
    case "actions":
      return gather(elements, linkedButton).join(", ")
    case "divider":
      return "----"
    case "rich_text":
      return gather(elements, (each) => richText(each)).join("\n")
    default:
      return ""
  }
}

/** Buttons that do something in Slack have no address, and mean nothing here. */
const linkedButton = (element: unknown): string => {
  const url = textAt(element, "url")
  return url === "" ? "" : link(either(textAt(element, "text", "text"), "link"), url)
}

export const slack: Format = (payload) => {
  const blocks = gather(listAt(payload, "blocks"), blockText)
  // Where there are blocks, the text is what Slack shows in notifications instead of them.
  const own = blocks.length > 0 ? blocks : [textOf(payload, "text")]
  const parts = [...own, ...gather(listAt(payload, "attachments"), attachmentText)].filter((part) => part.trim() !== "")
  if (parts.length === 0) return { refused: "There is no text, no attachment and no block" }
  return say("", topicOf(textAt(payload, "channel").replace(/^#/, "")), parts.join("\n\n"))
}
