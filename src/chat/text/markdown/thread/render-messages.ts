/** The messages between the server's thread and the renderer's worker. */
import type { Rendered } from "../context/rendered.ts"

/** Null: the content cannot be rendered. */
export type RenderAnswer = Rendered | null

/** The most characters of HTML that a message may become. */
export const longestHtml = 500_000
