/** The page of a link that does not work, and never did or does not any more: which of them is not said. */
import type { HtmlPage } from "../../../api/web-page.ts"

export const invalidLinkPage: HtmlPage = {
  status: 404,
  title: "This link is not valid",
  body: "<p>It may have been used already, another may have taken its place, or it is too old. Ask for a new one.</p>",
}
