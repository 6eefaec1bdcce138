import { defineFeature } from "../../feature.ts"
import { webClient } from "./page-files.ts"

export const webClientFeature = defineFeature({
  area: "server",
  name: "web-client",
  about:
    "the page that people chat in (`src/web`, made by the build): its script and its style sheet, and the frame of both",
  pages: webClient?.files ?? {},
})
