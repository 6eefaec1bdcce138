import { defineFeature } from "../../feature.ts"
import { picturesLayer } from "./process/uploaded-pictures.ts"

export const imagesFeature = defineFeature({
  area: "ground",
  name: "images",
  about:
    "what bytes are as a picture, what is too much to decode, thumbnails and their formats; `process`: the processes in which the image library runs, each ended by a file that takes too much",
  layer: picturesLayer,
})
