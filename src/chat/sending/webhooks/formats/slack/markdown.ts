/** Slack's block of Markdown: the service's own, which is shown as it is, except that it mentions nobody. */
import { mapProse } from "../markdown-code.ts"
import { textAt } from "../payload.ts"
import { withEmoji } from "./emoji.ts"

/** A character that nobody sees, in code neither, between `@` and what would make it a mention. */
const silent = (text: string): string => text.replace(/@(?=_?\*)/g, "@\u2060").replace(/#(?=\*\*)/g, "#\u2060")

const fence = /^ {0,3}(`{3,}|~{3,})/

/** The fence that is open at the end; what follows the block must not be code. */
const openFence = (text: string): string => {
  let open = ""
  for (const line of text.split("\n")) {
    const [, found = ""] = fence.exec(line) ?? []
    if (open === "") open = found
    else if (found.startsWith(open)) open = ""
  }
  return open
}

export const markdownBlock = (block: unknown): string => {
  const text = mapProse(silent(textAt(block, "text")), withEmoji)
  const open = openFence(text)
  return open === "" ? text : `${text}\n${open}`
}
