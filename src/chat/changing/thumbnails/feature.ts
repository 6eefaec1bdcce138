import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { folderFiles } from "../../ground/files/folder-files.ts"
import { picturesLayer } from "../../ground/images/process/uploaded-pictures.ts"
import { thumbnails, thumbnailsJob } from "./thumbnail-work.ts"

export const thumbnailsFeature = defineFeature({
  area: "changing",
  name: "thumbnails",
  about:
    "the smaller forms of uploaded pictures, made beside the uploads, and shown then by the messages that link them",
  jobs: [thumbnailsJob],
  layer: Layer.provide(thumbnails, Layer.merge(picturesLayer, folderFiles)),
})
