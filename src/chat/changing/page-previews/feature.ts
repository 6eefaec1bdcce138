import * as Layer from "effect/Layer"
import { Outbound } from "../../ground/outbound/outbound.ts"
import { room } from "../../room.ts"
import { RenderWorker } from "../../text/markdown/thread/worker.ts"
import { pagePreviews } from "./page-previews.ts"

export const pagePreviewsRoom = room({
  wing: "changing",
  name: "page-previews",
  about:
    "what pages that messages link say of themselves, fetched beside the sends and shown by rendering messages anew",
  layer: Layer.provide(pagePreviews, Layer.merge(RenderWorker.layer, Outbound.layer)),
})
