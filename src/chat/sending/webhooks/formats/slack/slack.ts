/**
 * Slack's incoming webhooks, which many programs can send: a text, attachments, blocks. What Slack would show as a mention
 * is shown by its name, and mentions nobody.
 */

import { bold, gather, leftOut, link, plain, topicOf, words } from "../markup.ts"
import { at, either, listAt, textAt } from "../payload.ts"
import type { WebhookFormat } from "../webhook-result.ts"
import { messageOrIgnored } from "../webhook-result.ts"
import { partText } from "./blocks.ts"
import { bounded } from "./bounded-payload.ts"
import { nameOf, textOf } from "./elements.ts"
import { plainText, timeOf } from "./text.ts"

const fieldLine = (field: unknown): string => {
  const [title, value] = [bold(nameOf(at(field, "title"))), textOf(at(field, "value"))]
  return title === "" ? value : `${title}: ${value}`
}

/** Colours and icons are no text, so they are not shown. */
const attachmentText = (attachment: unknown): string => {
  const text = (key: string): string => textAt(attachment, key)
  const name = (key: string): string => nameOf(at(attachment, key))
  const image = either(text("image_url"), text("thumb_url"))
  const lines = gather(
    [
      () => textOf(at(attachment, "pretext")),
      () => words(link(name("author_name"), text("author_link")), plain(name("author_subname"))),
      () => link(name("title"), text("title_link")),
      () => textOf(at(attachment, "text")),
      () => gather(listAt(attachment, "fields"), fieldLine).join("\n"),
      () => gather(listAt(attachment, "blocks"), partText).join("\n"),
      () => (image === "" ? "" : link("image", image)),
      () => gather(listAt(attachment, "actions"), partText).join(", "),
      () => gather([textOf(at(attachment, "footer")), timeOf(text("ts"))], (part) => part).join(" | "),
    ],
    (line) => line(),
  )
  return lines.length === 0 ? either(textOf(at(attachment, "fallback")), partText(attachment)) : lines.join("\n")
}

/** In the order in which they are left out last. */
const payloadKeysByPriority = ["channel", "mrkdwn", "text", "blocks", "attachments"]

export const slack: WebhookFormat = (payload) => {
  const { value, isCut } = bounded(payload, payloadKeysByPriority)
  const blocks = listAt(value, "blocks")
  const shown = gather(blocks, partText)
  const text = at(value, "mrkdwn") === false ? plainText(textAt(value, "text")) : textOf(at(value, "text"))
  // Where there are blocks, the text is what Slack shows in notifications instead of them.
  const own = shown.length > 0 ? shown : [text]
  const attachments = listAt(value, "attachments")
  const parts = [...own, ...gather(attachments, attachmentText)].filter((part) => part.trim() !== "")
  // A service that is refused switches its web hook off.
  if (parts.length === 0 && blocks.length + attachments.length > 0) return { ignoredEvent: "" }
  if (parts.length === 0) return { refused: "There is no text, no attachment and no block" }
  const topic = topicOf(textAt(value, "channel").replace(/^#/, ""))
  return messageOrIgnored("", topic, [...parts, ...(isCut ? [leftOut] : [])].join("\n\n"))
}
