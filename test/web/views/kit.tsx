/** Draws views over a state that was made by hand, and reads what is there as text. */
import { parseDocument } from "htmlparser2"
import type { ComponentChild } from "preact"
import { renderToString } from "preact-render-to-string"
import { ChatSession } from "../../../src/web/live/chat.ts"
import type { UiState } from "../../../src/web/live/ui-state.ts"
import type { PageState } from "../../../src/web/state/model.ts"
import { ChatContext } from "../../../src/web/view/parts/hooks.ts"

export const html = (view: ComponentChild, state: PageState, ui: Partial<UiState> = {}): string => {
  const nothing = () => undefined
  const chat = new ChatSession({ email: "me@example.com", apiKey: "key" }, nothing, nothing)
  chat.state.change(() => state)
  chat.show(ui)
  return renderToString(<ChatContext.Provider value={chat}>{view}</ChatContext.Provider>)
}

type Node = ReturnType<typeof parseDocument>["children"][number]

const blocks = new Set(
  "article button dd dialog div dt fieldset footer form h1 h2 h3 header label li main nav p section ul".split(" "),
)

/** A control by its name, in brackets; one that is off has a minus. Fields as what is in them. */
const control = (name: string, attributes: Readonly<Record<string, string>>, inner: string): string => {
  const { "aria-label": label, disabled, placeholder = "", value } = attributes
  if (name === "input" || name === "textarea") return `{${value || inner.trim() || placeholder}}`
  return `[${disabled === undefined ? "" : "-"}${label ?? inner.trim()}]`
}

const textOf = (node: Node): string => {
  if (node.type === "text") return node.data
  if (!("children" in node)) return ""
  const inner = node.children.map(textOf).join("")
  if (!("attribs" in node)) return inner
  const { name, attribs } = node
  if (attribs["aria-hidden"] === "true" && name === "svg") return ""
  const text = /^(button|input|textarea)$/.test(name) ? control(name, attribs, inner) : inner
  return blocks.has(name) ? `\n${text}\n` : ` ${text} `
}

/** What is there, a line for each block, without the empty ones. */
export const text = (view: ComponentChild, state: PageState, ui: Partial<UiState> = {}): ReadonlyArray<string> =>
  textOf(parseDocument(html(view, state, ui)))
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "")
