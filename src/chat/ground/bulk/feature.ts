import { defineFeature } from "../../feature.ts"
import { Bulk, bulkJob } from "./bulk.ts"

export const bulkFeature = defineFeature({
  area: "ground",
  name: "bulk",
  about:
    "commands over many items: checked whole, done in chunks of 500, finished by a job after a crash; other work behind a commit, which is done again where it was cut off",
  jobs: [bulkJob],
  layer: Bulk.layer,
})
