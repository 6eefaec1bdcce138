/**
 * From Markdown to HTML. Pure: the same content and names give the same bytes, here and in the worker. No tag,
 * attribute or address gets into the HTML but those that the rules make; all text is escaped.
 */
import type { MarkdownNames } from "../context/markdown-names.ts"
import { environment, RenderContext, type WorkerRenderers } from "../context/render-context.ts"
import type { Rendered } from "../context/rendered.ts"
import { parser } from "./parser.ts"

/** Steps of linkifiers: so many take 5 ms at worst. */
export const inlineSteps = 200_000
export const workerSteps = 20_000_000

const finish = (content: string, context: RenderContext): Rendered => {
  const html = parser.render(content, environment(context)).trimEnd()
  return { html, mentions: context.mentions, pages: context.pages }
}

/** Renders with formulas and highlighted code. Linkifiers that take too many steps leave the rest as text. */
export const renderWhole = (content: string, names: MarkdownNames, extras: WorkerRenderers): Rendered =>
  finish(content, new RenderContext(names, extras, workerSteps))

/**
 * Renders at once, for what must not wait: notices, descriptions. Formulas are shown as code, and code is not
 * highlighted. Linkifiers that take too many steps leave the rest as text.
 */
export const renderAtOnce = (content: string, names: MarkdownNames): Rendered =>
  finish(content, new RenderContext(names, null, inlineSteps))

/** As `renderWhole`, for what needs no extras; undefined if that takes too many steps for the server's own thread. */
export const tryAtOnce = (content: string, names: MarkdownNames): Rendered | undefined => {
  const context = new RenderContext(names, null, inlineSteps)
  const rendered = finish(content, context)
  return context.isSpent ? undefined : rendered
}
