/** What people write at GitHub, GitLab and others like them: their Markdown and its HTML, and the names that they know emoji by. */
import { namesElsewhere } from "../../../text/emoji/unicode-emoji.ts"
import { withoutHtml } from "./html.ts"
import { mapProse } from "./markdown-code.ts"
import { quoteText } from "./markup.ts"
import type { WebhookChoices } from "./webhook-result.ts"

const otherNames = new RegExp(`:(${[...namesElsewhere.keys()].join("|")}):`, "g")

/** A title, or a text without code, with the emoji that it has there. */
export const withTheirEmoji = (text: string): string =>
  text.replace(otherNames, (whole, name: string) => namesElsewhere.get(name) ?? whole)

/** Their Markdown in a quote; empty where nothing of it is to be seen. */
export const quote = (markdown: string): string =>
  quoteText(mapProse(withoutHtml(markdown.replace(/\r\n?/g, "\n")), withTheirEmoji))

/** A quote of what the thing says of itself, unless the address leaves descriptions out. */
export const described = ({ isDescribed }: WebhookChoices, markdown: string): string =>
  isDescribed ? quote(markdown) : ""

/** A sentence, and what somebody has said: `:` announces what is there only. */
export const saying = (sentence: string, said: string): string => `${sentence}${said === "" ? "." : `:${said}`}`
