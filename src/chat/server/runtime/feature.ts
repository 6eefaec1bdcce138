import { defineFeature } from "../../feature.ts"
import { filesJob, pruneJob, saveJob, sweepJob } from "./runtime-jobs.ts"
import { heartbeatKind, noopKind } from "./server-kinds.ts"

export const runtimeFeature = defineFeature({
  area: "server",
  name: "runtime",
  about: "wires the parts of a running realm together",
  kinds: [heartbeatKind, noopKind],
  jobs: [saveJob, sweepJob, pruneJob, filesJob],
})
