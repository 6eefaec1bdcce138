import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { folderFiles } from "../files/folder-files.ts"
import { replacedJob } from "./face-files.ts"
import { facePrefix } from "./face-urls.ts"
import { findFace, ServedFaces } from "./served-faces.ts"

export const facesFeature = defineFeature({
  area: "ground",
  name: "faces",
  about:
    "pictures of people and of the organization: their addresses, patterns that are drawn where nobody has uploaded one, files, and how all of them are served to anybody",
  layer: Layer.provide(ServedFaces.layer, folderFiles),
  jobs: [replacedJob],
  pictures: [{ prefix: facePrefix, find: findFace, keptSeconds: null }],
})
