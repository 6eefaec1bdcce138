import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { Outbound } from "../../ground/outbound/outbound.ts"
import { RenderWorker } from "../../text/markdown/thread/render-worker-client.ts"
import { pagePreviews } from "./page-previews.ts"

export const pagePreviewsFeature = defineFeature({
  area: "changing",
  name: "page-previews",
  about:
    "what pages that messages link say of themselves, fetched beside the sends and shown by rendering messages anew",
  layer: Layer.provide(pagePreviews, Layer.merge(RenderWorker.layer, Outbound.layer)),
})
