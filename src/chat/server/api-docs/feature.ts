import { room } from "../../room.ts"
import { docsPages } from "./docs-pages.ts"

export const apiDocsRoom = room({
  wing: "server",
  name: "api-docs",
  about:
    "the description of the interface as an OpenAPI document (made by `src/openapi` in the build), and the page that shows it",
  pages: docsPages,
})
