import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { NewestTopics } from "./newest-topics.ts"
import { RenderWorker } from "./thread/render-worker-client.ts"

export const markdownFeature = defineFeature({
  area: "text",
  name: "markdown",
  about:
    "text to HTML, by markdown-it with rules of its own (`rules`): names are found in the text, looked up in the realm for its author, and the rest is pure. Long content, formulas (KaTeX) and highlighted code (highlight.js) in a thread (`thread`), one job at a time, in turns by sender. `previews`: what is shown of links",
  layer: Layer.mergeAll(RenderWorker.layer, NewestTopics.layer),
})
