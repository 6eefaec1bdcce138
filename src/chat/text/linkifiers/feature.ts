import { defineFeature } from "../../feature.ts"
import { linkifiers } from "./linkifiers.ts"

export const linkifiersFeature = defineFeature({
  area: "text",
  name: "linkifiers",
  about: "patterns that administrators write, run by RE2 (re2js), and their templates of addresses",
  projectionParts: [linkifiers],
})
