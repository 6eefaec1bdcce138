/**
 * Any program: what it sends is shown as it is, unless it says itself what to write, with `content` and `topic`. Such a
 * content is the author's own Markdown, as in a message that the bot sends.
 */
import * as Predicate from "effect/Predicate"
import { block, topicOf } from "./markup.ts"
import { at, textAt } from "./payload.ts"
import type { WebhookFormat } from "./webhook-result.ts"

/** Characters of JSON that are shown: a message has 10,000. */
const longestShown = 9000

export const json: WebhookFormat = (payload) => {
  const topic = topicOf(textAt(payload, "topic"))
  const content = at(payload, "content")
  if (Predicate.isString(content)) {
    return content.trim() === "" ? { refused: "The content is empty" } : { event: "", topic, content }
  }
  const text = JSON.stringify(payload, null, 2)
  return { event: "", topic, content: block(text, "json", longestShown).trimStart() }
}
