import { defineFeature } from "../../feature.ts"
import { docsPages } from "./docs-pages.ts"

export const apiDocsFeature = defineFeature({
  area: "server",
  name: "api-docs",
  about:
    "the description of the interface as an OpenAPI document (made by `src/openapi` in the build), and the page that shows it",
  pages: docsPages,
})
