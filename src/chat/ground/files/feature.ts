import { defineFeature } from "../../feature.ts"
import { folderFiles } from "./folder-files.ts"

export const filesFeature = defineFeature({
  area: "ground",
  name: "files",
  about:
    "where the bytes of uploads are kept: the contract, and a folder that fulfils it; `store-with-row`: bytes, then the row that names them; `sweep-files`: files that no row names; what asks for the files that a message links, and for their smaller forms",
  layer: folderFiles,
})
