import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { Outbound } from "../outbound/outbound.ts"
import { externalPrefix } from "./external-address.ts"
import { ExternalContent, findExternalPicture } from "./external-content.ts"

export const externalContentFeature = defineFeature({
  area: "ground",
  name: "external-content",
  about: "pictures of other servers under addresses of this one",
  layer: Layer.provide(ExternalContent.layer, Outbound.layer),
  pictures: [{ prefix: externalPrefix, find: findExternalPicture, keptSeconds: 24 * 3600 }],
})
